import StoreCore
import StorePatterns
import Testing

@Suite struct RankTests {
    @Test func `a list grows at its end and at its beginning with short ranks`() throws {
        var ranks = [Rank.first]
        for _ in 0..<10_000 { ranks.append(Rank.after(ranks.last)) }
        #expect(zip(ranks, ranks.dropFirst()).allSatisfy { $0 < $1 })
        #expect(ranks.map(\.description.utf8.count).max() == 4)
        var before = [Rank.first]
        for _ in 0..<10_000 { before.append(Rank.before(before.last)) }
        #expect(zip(before, before.dropFirst()).allSatisfy { $0 > $1 })
        #expect(before.map(\.description.utf8.count).max() == 4)
        #expect(Rank.first.description == "a0")
        #expect(Rank.after(Rank("az")).description == "b00")
        #expect(Rank.before(Rank("a0")).description == "Zz")
        #expect(Rank.after(Rank("Zz")).description == "a0")
        #expect(Rank.before(Rank("Z0")).description == "Yzz")
    }

    @Test func `there is always a rank between two ranks`() throws {
        var (lower, upper) = (Rank.first, Rank.after(Rank.first))
        for number in 0..<2_000 {
            let middle = try Rank.between(lower, upper)
            #expect(lower < middle && middle < upper)
            #expect(Rank(middle.description) == middle)
            if number.isMultiple(of: 3) { lower = middle } else { upper = middle }
        }
        #expect(lower.description.utf8.count < 500)
    }

    @Test func `random insertions keep the order of the list`() throws {
        var generator = SystemRandomNumberGenerator()
        var ranks: [Rank] = []
        for _ in 0..<3_000 {
            let place = Int.random(in: 0...ranks.count, using: &generator)
            let lower = place > 0 ? ranks[place - 1] : nil
            let upper = place < ranks.count ? ranks[place] : nil
            ranks.insert(try Rank.between(lower, upper), at: place)
        }
        #expect(zip(ranks, ranks.dropFirst()).allSatisfy { $0 < $1 })
        #expect(ranks.allSatisfy { Rank($0.description) == $0 })
        #expect(ranks.sorted() == ranks)
    }

    @Test func `several ranks are inserted together`() throws {
        let first = try Rank.ranks(10_000, between: nil, nil)
        #expect(first.count == 10_000 && zip(first, first.dropFirst()).allSatisfy { $0 < $1 })
        let inner = try Rank.ranks(1_000, between: first[4], first[5])
        let all = [first[4]] + inner + [first[5]]
        #expect(inner.count == 1_000 && zip(all, all.dropFirst()).allSatisfy { $0 < $1 })
        #expect(inner.map(\.description.utf8.count).max() ?? 0 <= 6)
        #expect(try Rank.ranks(0, between: nil, nil).isEmpty)
        #expect(try Rank.ranks(3, between: nil, Rank.first).allSatisfy { $0 < Rank.first })
    }

    @Test func `the ends of all integer parts still have neighbours`() throws {
        let greatest = try #require(Rank("z" + String(repeating: "z", count: 26)))
        let behind = Rank.after(greatest)
        #expect(greatest < behind && behind < Rank.after(behind))
        let smallest = try #require(Rank("A" + String(repeating: "0", count: 26) + "1"))
        let before = Rank.before(smallest)
        #expect(before < smallest)
    }

    @Test func `neighbours in the wrong order are refused`() {
        let second = Rank.after(Rank.first)
        #expect(throws: Refusal.self) { try Rank.between(second, Rank.first) }
        #expect(throws: Refusal.self) { try Rank.between(second, second) }
        #expect(throws: Refusal.self) { try Rank.ranks(3, between: second, Rank.first) }
    }

    @Test(arguments: ["", "a", "0", "b0", "a00", "a0!", "a0\u{E9}", "~0", "a10", "a1 ", "z1"])
    func `a text of another form is no rank`(text: String) {
        #expect(Rank(text) == nil)
    }
}
