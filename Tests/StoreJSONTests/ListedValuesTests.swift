import StoreJSON
import Testing

private enum Column: String, Codable, CaseIterable { case todo, doing, done }
private enum Silent: String, Codable { case one, two }
private struct Card: Codable { let column: Column }

/// A text that is no value of an enum.
@Suite struct ListedValuesTests {
    private func error(_ type: (some Decodable).Type, _ json: String) -> JSONError? {
        #expect(throws: JSONError.self) { try JSONDecoder().decode(type, from: Array(json.utf8)) }
    }

    @Test func `an unknown value is refused with the values, if the enum lists them`() {
        let error = error(Card.self, #"{"column": "finished"}"#)
        #expect(error?.expected == #"one of "todo", "doing", "done""#)
        #expect(error?.pointer == "/column")
    }

    @Test func `an unknown value is refused without them, if the enum does not`() {
        #expect(error(Silent.self, #""three""#)?.expected == nil)
    }

    @Test func `a value of another kind is refused as before`() {
        #expect(error(Card.self, #"{"column": 1}"#)?.expected == "a string")
    }
}
