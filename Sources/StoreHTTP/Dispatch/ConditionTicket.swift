import StoreCore
import StorePlatform
import StoreWire
import Synchronization

/// Completes the envelope of a dispatch whose condition names a resource (protocol 2.7).
///
/// The Core only checks if a member of the state has changed. A resource that is a part of this
/// member, or a view, may still be unchanged. So if a member has changed, another thread compares
/// the resource in the client's version and in the newest version. If the resource is the same, the
/// thread offers the envelope again, under a condition on the newest version.
final class ConditionTicket: Completion {
    /// The maximum number of comparisons for a request. A change of the state during a comparison
    /// makes another comparison necessary.
    static let comparisonsMax = 8

    private struct State: Sendable {
        var envelope: Envelope?
        var comparisonCount = 0
    }

    private let ticket: DispatchTicket
    private let subject: ConditionSubject
    private let state = Locked(State())

    init(_ ticket: DispatchTicket, _ subject: ConditionSubject) {
        self.ticket = ticket
        self.subject = subject
    }

    /// Stores the envelope until its completion, because the ticket may offer the envelope again.
    func keep(_ envelope: Envelope) { state.withLock { $0.envelope = envelope } }

    func complete(_ outcome: Outcome) {
        guard case .versionMismatch = outcome, subject.tagVersion != nil else {
            return finish(outcome)
        }
        let mayCompare = state.withLock { state -> Bool in
            state.comparisonCount += 1
            return state.comparisonCount <= Self.comparisonsMax
        }
        guard mayCompare else {
            return refuse(
                .overloaded(
                    "the resource of If-Match has changed \(Self.comparisonsMax) times while it "
                        + "was compared"
                )
            )
        }
        let isTaken = ticket.reader.threads.pastStates.submit { [self] in compare() }
        if !isTaken { refuse(.overloaded("too many conditions are being compared already")) }
    }

    private func compare() {
        let condition: VersionCondition?
        do { condition = try subject.conditionAfterComparison() } catch { return refuse(error) }
        guard let condition, let envelope = state.withLock({ $0.envelope }) else {
            finish(.versionMismatch(current: ticket.reader.version))
            return ticket.store.wakeLoop()
        }
        do {
            try ticket.store.engine.offer(Envelope(envelope, under: condition))
        } catch {
            refuse(
                error.problem(
                    detailIfFull: "\(ticket.store.bounds.mailboxActionsMax) actions wait already"
                )
            )
        }
    }

    private func refuse(_ problem: Problem) {
        state.withLock { $0.envelope = nil }
        ticket.answer(problem)
        ticket.store.wakeLoop()
    }

    private func finish(_ outcome: Outcome) {
        state.withLock { $0.envelope = nil }
        if case .versionMismatch(let current) = outcome {
            let tag = Tag(epoch: ticket.reader.epoch, version: current)
            return ticket.answer(.versionMismatch(current: tag, of: subject.path))
        }
        ticket.complete(outcome)
    }
}
