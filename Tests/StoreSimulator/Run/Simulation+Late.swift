import StoreCore
import StoreJSON

// Answers that come after the effects of their actions.

extension Simulation {
    /// The reason of failed work that the client may not read.
    private static var hiddenReason: String { "It failed; the server's log has the reason." }

    /// Verifies the answers that have come since their requests.
    func takeLateAnswers() throws {
        server.collect()
        let late = waiting.filter { $0.exchange.answer != nil }
        waiting.removeAll { $0.exchange.answer != nil }
        for open in late {
            guard case .response(let status, let body)? = open.exchange.answer else {
                throw Violation(.answer, "no late answer to \(open.asked.body), but an end")
            }
            note("  \(open.asked.body) is answered with \(status)")
            try verify(status, body, open)
        }
    }

    /// Verifies the value of an effect, and the reason of its failure. Both are parts of a version
    /// since the action, and the client reads the part in this version. If the client reads the
    /// part in all of these versions, the answer has it.
    func verifyValue(in document: JSONDocument?, of outcome: DispatchedOutcome) throws {
        guard let tokens = outcome.shownPart, let root = document?.root else { return }
        let versions = outcome.last...max(outcome.last, naive.version)
        let texts = versions.compactMap { past.texts[$0] }
        guard texts.count == versions.count else { return }
        func parts(_ client: Reading, at tokens: [String]) -> [Bytewise?] {
            texts.map { client.visible($0).part(at: tokens) }
        }
        if root.member(named: "completed")?.sourceText == "true" {
            let shown = parts(outcome.client, at: tokens)
            let value = root.member(named: "value").map { Bytewise(Array($0.source)) }
            guard shown.contains(value) else {
                throw Violation(.privacy, "\(outcome) has the value \(value as Any) of no version")
            }
        }
        guard root.member(named: "type")?.stringValue == "/problems/effect-failed",
            let reason = root.member(named: "reason")?.stringValue,
            reason != "It was cancelled."
        else { return }
        // A role that has dispatched to a hidden module may read the reason.
        var client = outcome.client
        client.sight = nil
        let titles = parts(client, at: tokens + ["title"])
        let shown = reason == Self.hiddenReason ? nil : Bytewise(JSONText.string(reason))
        guard titles.contains(shown) else {
            throw Violation(.privacy, "\(outcome) fails because of \(reason), of no version")
        }
    }
}
