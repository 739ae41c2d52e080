import StoreTestSupport
import Testing

@testable import StoreJSON

/// Lists whose items have a member `id` (protocol 4.3).
@Suite struct JSONPatchKeyedTests {
    private struct Item: Equatable {
        var id: String?
        var text: String
        var isNew = false

        var json: String {
            (id.map { "{\"id\":\($0)," } ?? "{") + "\"text\":\"\(text)\",\"new\":\(isNew)}"
        }
    }

    private func list(_ items: [Item]) -> String {
        "{\"rows\":[\(items.map(\.json).joined(separator: ","))]}"
    }

    private func operations(_ old: String, _ new: String) throws -> [String] {
        let patch = try JSONPatch.diff(from: parse(old), to: parse(new))
        return try parse(text(patch)).root.elements.map { operation in
            let (op, path) = (operation.member(named: "op"), operation.member(named: "path"))
            return "\(op?.stringValue ?? "") \(path?.stringValue ?? "")"
        }
    }

    private func items(_ count: Int) -> [Item] {
        (1...count).map { Item(id: "\($0)", text: "this is what item number \($0) says") }
    }

    @Test func `an item at the front is one operation although all others have changed a little`()
        throws
    {
        let old = items(20)
        let front = Item(id: "\"new\"", text: "the newest of all")
        #expect(try operations(list(old), list([front] + old)) == ["add /rows/0"])
        #expect(try operations(list([front] + old), list(old)) == ["remove /rows/0"])
        var changed = old
        for place in [3, 17] { changed[place].text += "!" }
        #expect(
            try operations(list(old), list([front] + changed))
                == ["add /rows/0", "replace /rows/4/text", "replace /rows/18/text"]
        )
        let long = String(repeating: "and so on ", count: 20)
        let many = old.map { Item(id: $0.id, text: $0.text + long) }
        let touched = many.map { item in
            var item = item
            item.isNew = true
            return item
        }
        #expect(
            try operations(list(many), list([front] + touched))
                == ["add /rows/0"] + (1...20).map { "replace /rows/\($0)/new" }
        )
        var removed = changed
        removed.remove(at: 9)
        #expect(
            try operations(list(old), list(removed))
                == ["replace /rows/3/text", "remove /rows/9", "replace /rows/16/text"]
        )
    }

    @Test func `a moved item leaves the others alone, and a replacement is one step`()
        throws
    {
        let old = items(20)
        var moved = old
        moved.insert(moved.remove(at: 12), at: 2)
        moved[19].text += "!"
        #expect(
            try operations(list(old), list(moved))
                == ["add /rows/2", "remove /rows/13", "replace /rows/19/text"]
        )
        var other = old
        other[5] = Item(id: "99", text: "another one")
        other[6].text += "!"
        #expect(
            try operations(list(old), list(other)) == ["replace /rows/5", "replace /rows/6/text"]
        )
    }

    @Test func `a text and a number are different keys, and a fraction is no key`() throws {
        let old = [
            Item(id: "7", text: "first of these"), Item(id: "\"7\"", text: "second of these"),
        ]
        var new = [old[1], old[0]]
        new.append(Item(id: "8", text: "third of these"))
        let (a, b) = (try parse(list(old)), try parse(list(new)))
        let rows = [a, b].map { $0.root.member(named: "rows")?.elements ?? [] }
        #expect(KeyedElements.gapLengths(between: rows[0], and: rows[1])?.count == 1)
        for id in ["1.5", "1e3", "null", "true", "{}"] {
            let odd = try parse(list([Item(id: id, text: "x")]))
            let elements = odd.root.member(named: "rows")?.elements ?? []
            #expect(KeyedElements.gapLengths(between: elements, and: elements) == nil)
        }
    }

    @Test func `patches between random lists are right, also with missing or double keys`() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var random = SplitMix(seed: seed)
        var keyed = 0
        for _ in 0..<3_000 {
            let isOdd = Int.random(in: 0..<4, using: &random) == 0
            let make = { (number: Int, random: inout SplitMix) -> Item in
                var id: String? = Bool.random(using: &random) ? "\(number)" : "\"\(number)\""
                if isOdd, Int.random(in: 0..<5, using: &random) == 0 {
                    id = Bool.random(using: &random) ? nil : "1"
                }
                return Item(id: id, text: "text \(Int.random(in: 0..<3, using: &random))")
            }
            var old: [Item] = []
            for number in 0..<Int.random(in: 0..<12, using: &random) {
                old.append(make(number, &random))
            }
            var new = old
            for _ in 0..<Int.random(in: 0..<6, using: &random) {
                let place = Int.random(in: 0...new.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: new.insert(make(100 + place, &random), at: place)
                case 1: if place < new.count { new.remove(at: place) }
                case 2: if place < new.count { new[place].text += "!" }
                default: new.shuffle(using: &random)
                }
            }
            let (a, b) = (try parse(list(old)), try parse(list(new)))

            let patch = text(try JSONPatch.diff(from: a, to: b))
            let result = try JSONPatch.apply(parse(patch), to: JSONTree(a.root))

            let replacement = #"[{"op":"replace","path":"","value":\#(list(new))}]"#
            #expect(result == JSONTree(b.root), "\(list(old)) to \(list(new))")
            #expect(patch.utf8.count <= replacement.utf8.count)
            if !isOdd, old != new { keyed += 1 }
        }
        #expect(keyed > 500)
    }

    @Test(.timeLimit(.minutes(1)))
    func `many items in another order cost few steps each`() throws {
        let old = items(20_000)
        var new = Array(old.reversed())
        new.insert(Item(id: "0", text: "the newest"), at: 0)
        let (a, b) = (try parse(list(old)), try parse(list(new)))
        let patch = try parse(text(JSONPatch.diff(from: a, to: b)))
        // All other items were moved, so a replacement of the whole is shorter.
        #expect(patch.root.count == 1)
        var one = old
        one.insert(one.remove(at: 15_000), at: 3)
        #expect(try operations(list(old), list(one)) == ["add /rows/3", "remove /rows/15001"])
    }
}
