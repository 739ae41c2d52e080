import Testing

@testable import StoreTesting

@Suite struct StateDifferenceTests {
    private struct Item: Encodable {
        var text: String
        var done = false
    }

    private struct State: Encodable {
        var items: [Item] = []
        var numbers: [Int] = [1, 2, 3]
        var named: [String: Int] = [:]
        var note: String?
    }

    private func difference(_ change: (inout State) -> Void) -> String {
        let old = State(items: [Item(text: "Milk"), Item(text: "Bread")])
        var new = old
        change(&new)
        return StateDifference.text(from: old, to: new)
    }

    @Test func `a member of an element has a pointer that leads to it`() {
        #expect(
            difference { $0.items[1].done = true } == """
                  /items/1
                −   "done": false
                +   "done": true
                """
        )
    }

    @Test func `an element that comes or goes has its index`() {
        #expect(
            difference { state in
                state.items.remove(at: 0)
                state.numbers.insert(9, at: 1)
            } == """
                  /items
                −   0: {"text":"Milk","done":false}
                  /numbers
                +   1: 9
                """
        )
    }

    @Test func `elements of as many are compared by pairs`() {
        #expect(
            difference { $0.numbers = [1, 5, 3] } == """
                  /numbers
                −   1: 2
                +   1: 5
                """
        )
    }

    @Test func `a new member has no line before it`() {
        #expect(
            difference { state in
                state.named["a/b"] = 1
                state.note = "new"
            } == """
                +   "note": "new"
                  /named
                +   "a/b": 1
                """
        )
    }

    @Test func `a long value shows the part that differs`() {
        let long = String(repeating: "a", count: 1_000)
        let old = [long + "b"]
        let new = [long + "c"]
        let same = String(repeating: "a", count: 39)
        #expect(
            StateDifference.text(from: old, to: new) == """
                −   0: …\(same)ab"
                +   0: …\(same)ac"
                """
        )
    }

    @Test func `many lines are counted`() {
        let text = StateDifference.text(from: Array(0..<100), to: Array(100..<200))
        #expect(text.split(separator: "\n").count == StateDifference.linesMax + 1)
        #expect(text.hasSuffix("… and 140 more lines"))
    }

    @Test func `states that look the same, or can't be shown, are described by a sentence`() {
        struct Hidden: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(1)
            }
        }
        #expect(
            StateDifference.text(from: Hidden(), to: Hidden())
                == "  Their JSON forms are the same: the differing values are not encoded."
        )
        #expect(
            StateDifference.text(from: Double.nan, to: 1)
                .hasPrefix("  The states differ, and can't be shown: ")
        )
    }
}
