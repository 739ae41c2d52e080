import StoreCore
import StoreJSON
import StorePatterns
import StoreServer

/// A dispatch whose client did not wait for its effects.
struct DispatchedOutcome {
    let first: UInt64
    let last: UInt64
    let changed: Bool
    let isArray: Bool
    /// The client.
    let client: Reading
    /// The part of the state that the effect returns as its value; `nil` if it returns none.
    let shownPart: [String]?

    init<P: Program>(_ open: Simulation<P>.Open, _ kept: Prediction.Kept) {
        (first, last, changed) = (kept.first, kept.last, kept.changed)
        (client, isArray) = (open.asked.client, open.asked.request.isArray)
        let sent = open.asked.request.members
        shownPart = sent.count == 1 ? P.shownPart(of: sent[0]) : nil
    }

    /// The session of the client; `nil` for a client without a session.
    var session: String? { client.session }
}

extension Simulation {
    /// True if an answer says that the effects have not ended.
    func isPending(_ body: [UInt8]) -> Bool {
        let document = try? JSONDocument(parsing: body, limits: .unbounded)
        return document?.root.member(named: "completed")?.sourceText == "false"
    }

    /// Remembers a 202, which has to name the place of its outcome.
    func remember(_ open: Open, _ kept: Prediction.Kept) throws {
        guard open.asked.request.prefers == "wait=0" else {
            throw Violation(.answer, "202 to a client that waits: \(open.asked.body)")
        }
        guard open.exchange.location == "/dispatch/\(kept.last)" else {
            throw Violation(.answer, "the outcome is at \(open.exchange.location as Any)")
        }
        outcomes.append(DispatchedOutcome(open, kept))
    }

    /// Asks for the outcome of a dispatch, as its client and as another client.
    func lookAtOutcomes(_ chance: inout Chance) throws {
        // A use case and a notification are answered with 202 at the version of their record.
        let isCall = ["usecases/", "notify/"].contains {
            journal.records.last?.type.hasPrefix($0) == true
        }
        if !isCall, !outcomes.contains(where: { $0.last == naive.version }) {
            let (status, _) = try answer(to: "/dispatch/\(naive.version)", drawn(&chance))
            guard status == 404 else { throw wrong(status, "what was not answered with 202") }
        }
        guard !outcomes.isEmpty else { return }
        let outcome = chance.pick(outcomes)
        let target = "/dispatch/\(outcome.last)"
        let other = drawn(&chance)
        let isOther = other?.name != outcome.session && !reading(other).isOperator
        if isOther {
            let (status, _) = try answer(to: target, other)
            guard status == 404 else { throw wrong(status, "another client's outcome") }
        }
        let owner = clients.first { $0.name == outcome.session }
        // A session that has ended sends no requests.
        guard outcome.session == nil || owner != nil else { return }
        let (status, body) = try answer(to: target, owner)
        let document = try? JSONDocument(parsing: body, limits: .unbounded)
        try verifyValue(in: document, of: outcome)
        if status == 424 { return }
        let root = document?.root
        guard status == (isPending(body) ? 202 : 200),
            root?.member(named: "version")?.intValue == Int(outcome.last),
            root?.member(named: "changed")?.sourceText == "\(outcome.changed)",
            !outcome.isArray || root?.member(named: "first")?.intValue == Int(outcome.first)
        else { throw wrong(status, "an outcome, \(Bytewise(body))") }
        guard status == 200 || server.runningEffects > 0 else {
            throw wrong(status, "an outcome although nothing runs")
        }
    }

    private func wrong(_ status: Int, _ what: String) -> Violation {
        Violation(.answer, "\(what): \(status)")
    }
}
