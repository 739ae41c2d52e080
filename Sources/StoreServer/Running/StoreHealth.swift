import StoreCore
import StoreHTTP
import StoreMetrics
import StorePlatform
import StoreTelemetry
import Synchronization

/// The health of a store, for `/livez` and `/readyz`: the progress of its reducer, and the
/// condition of its journal.
struct StoreHealth: Sendable {
    let watchdog: Watchdog
    let journalCondition: JournalCondition

    init<State>(_ context: StoreContext<State>) {
        watchdog = Watchdog(
            slowSeconds: context.configuration.actions.slowAfter.wholeSeconds,
            stuckSeconds: context.configuration.actions.stuckAfter.wholeSeconds,
            context.logger
        )
        journalCondition = JournalCondition(context.logger, context.journalFailureHandling)
    }

    /// Returns the reason why the store is not ready; `nil` while the store is ready. A reducer
    /// that does not end is not among these reasons.
    func notReadyReason(isDraining: Bool) -> NotReadyReason? {
        if isDraining { return .draining }
        return journalCondition.failure.map { _ in .journalFailed }
    }
}

/// The condition of the journal: the journal works, or has failed. A failed journal stays failed
/// until a new start.
final class JournalCondition: Sendable {
    private struct Condition: Sendable {
        var failure: JournalError?
        var cancelEffects: @Sendable () -> Void = {}
    }

    private let condition = Locked(Condition())
    private let logger: Logger
    private let failureHandling: JournalFailureHandling?

    init(_ logger: Logger, _ decision: JournalFailureHandling?) {
        self.logger = logger
        self.failureHandling = decision
    }

    /// The error with which the journal failed; `nil` while the journal works.
    var failure: JournalError? { condition.withLock { $0.failure } }

    /// Sets the function that cancels the effects after a failure, because their results would be
    /// lost. Call this function before the Core starts.
    func setEffectCanceller(_ cancel: @escaping @Sendable () -> Void) {
        condition.withLock { $0.cancelEffects = cancel }
    }

    /// Handles an append with an unknown outcome. The Core calls this function on its thread.
    /// Afterwards, the Core ends the requests whose actions were in the append, and the clients get
    /// no answer.
    func handleFailure(_ error: JournalError) {
        let cancelEffects = condition.withLock { condition -> (@Sendable () -> Void)? in
            guard condition.failure == nil else { return nil }
            condition.failure = error
            return condition.cancelEffects
        }
        guard let cancelEffects else { return }
        if case .atOnce(let decide) = failureHandling { return decide(error) }
        logger.error(
            .journalFailed,
            "the journal failed: \(error); no action is applied before a restart, which goes on "
                + "from the records of the journal"
        )
        cancelEffects()
        guard case .later(let decide) = failureHandling else { return }
        SystemThread.start(name: "journal failed") { decide(error) }
    }
}

enum JournalFailureHandling: Sendable {
    /// The Core's thread calls the function at once, before the thread answers any further request.
    /// The function ends the process.
    case atOnce(@Sendable (JournalError) -> Void)
    /// A thread of its own calls the function, which may stop the server.
    case later(@Sendable (JournalError) -> Void)
}
