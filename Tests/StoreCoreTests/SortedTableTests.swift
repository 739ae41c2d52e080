import StoreCore
import StoreTesting
import Testing

@Suite struct SortedTableTests {
    private final class Thing: Sendable {
        let number: Int

        init(_ number: Int) { self.number = number }
    }

    private func members(_ table: SortedTable<Thing>) -> [String] {
        table.map { "\($0.key)=\($0.value.number)" }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a sorted table is a sorted dictionary, and older versions stay the same`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var table = SortedTable<Thing>()
        var model: [String: Int] = [:]
        var older: [(SortedTable<Thing>, [String])] = []
        for number in 0..<5_000 {
            // Insertions prevail at first, then removals, so that the table grows and shrinks to
            // nothing.
            let isEnding = Int.random(in: 0..<5_000, using: &random) < number
            let key = isEnding ? model.keys.randomElement(using: &random) : nil
            if let key {
                model[key] = nil
                table[key] = nil
            } else {
                let key = "k\(Int.random(in: 0..<2_000, using: &random))"
                model[key] = number
                table[key] = Thing(number)
            }
            #expect(table.count == model.count)
            if number.isMultiple(of: 500) { older.append((table, members(table))) }
        }
        let expected = model.sorted { $0.key < $1.key }
        #expect(members(table) == expected.map { "\($0.key)=\($0.value)" }, "seed \(seed)")
        for (key, number) in expected { #expect(table[key]?.number == number) }
        for (table, members) in older { #expect(self.members(table) == members) }
    }

    @Test func `the way to a name stays short after any order of changes`() {
        let names = (0..<10_000).map { String(10_000 + $0) }
        for order in [names, names.reversed()] {
            var table = SortedTable<Thing>()
            for name in order { table[name] = Thing(0) }
            // No subtree has more than three quarters of the rows, which bounds the depth.
            #expect(table.depth <= 32)
            for name in order.dropLast(100) { table[name] = nil }
            #expect(table.count == 100)
            #expect(table.depth <= 17)
        }
        let table = SortedTable(sorted: names.map { ($0, Thing(0)) })
        #expect(table.depth == 14)
        #expect(table.map(\.key) == names)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a comparison finds exactly the differences of two versions`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var table = SortedTable<Thing>()
        for number in 0..<1_000 { table["k\(number)"] = Thing(number) }
        for _ in 0..<50 {
            let old = table
            var touched: Set<String> = []
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                let key = "k\(Int.random(in: 0..<1_200, using: &random))"
                table[key] = Bool.random(using: &random) ? Thing(0) : nil
                touched.insert(key)
            }
            let expected = touched.filter { table[$0] !== old[$0] }.sorted()
            let found = table.differences(from: old)
            #expect(found.map(\.key) == expected, "seed \(seed)")
            #expect(found.allSatisfy { $0.value === table[$0.key] }, "seed \(seed)")
            #expect(old.differences(from: table).map(\.key) == expected, "seed \(seed)")
        }
        #expect(table.differences(from: table).isEmpty)
        #expect(table.differences(from: SortedTable()).count == table.count)
    }

    @Test func `names are distinguished by their bytes, and sorted by them`() {
        var table = SortedTable<Thing>()
        let names = ["", "a", "ab", "b", "e\u{301}", "z", "\u{e9}", "\u{ffff}", "\u{1f600}"]
        for (number, name) in names.enumerated().reversed() { table[name] = Thing(number) }
        #expect(members(table) == names.enumerated().map { "\($1)=\($0)" })
        table["\u{e9}"] = nil
        #expect(table["\u{e9}"] == nil)
        #expect(table["e\u{301}"]?.number == 4)
    }

    @Test func `a removal of a missing name keeps the same version`() {
        let table = SortedTable(sorted: [("a", Thing(1)), ("b", Thing(2))])
        var other = table
        other["c"] = nil
        #expect(other.isIdentical(to: table))
        other["a"] = nil
        #expect(!other.isIdentical(to: table))
        other["b"] = nil
        #expect(other.count == 0 && other.depth == 0)
    }
}
