import StoreCore
import Testing

/// The lines of effects for the operator.
@Suite struct OperatorLogTests {
    private func line(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) -> String {
        let lines = Journaled<String>()
        OperatorLog { lines.add("\($0): \($1)") }.warning(message, fields)
        return lines.values.joined(separator: "|")
    }

    @Test func `a field ends neither its quotation marks nor the line`() {
        let line = line("refused", ["user": "a\" b=\"\\\n\u{202E}é", "reason": ""])
        #expect(line == #"warning: refused user="a\" b=\"\\\u{a}\u{202e}é" reason="""#)
    }

    @Test func `a long text is cut between two characters`() {
        let field = line("x", ["name": String(repeating: "é", count: 200)])
        #expect(field == "warning: x name=\"" + String(repeating: "é", count: 50) + "…\"")
        #expect(line(String(repeating: "y", count: 5_000)).utf8.count == 9 + 1_000 + 3)
    }

    @Test func `without a log, nothing is written and nothing fails`() {
        Dependencies.unprepared.log.error("nothing")
    }

    @Test func `the log that a program sets is kept`() {
        let lines = Journaled<String>()
        let own = Dependencies.unprepared.setting(
            OperatorLogKey.self,
            to: OperatorLog { lines.add("own: \($1)") }
        )
        let server = OperatorLog { lines.add("server: \($1)") }
        own.logging(to: server).log.notice("a")
        Dependencies.live.logging(to: server).log.notice("b")
        #expect(lines.values == ["own: a", "server: b"])
    }
}
