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
    let journal: JournalCondition

    init<State>(_ context: StoreContext<State>) {
        watchdog = Watchdog(
            slowSeconds: context.configuration.actions.slowAfter.wholeSeconds,
            stuckSeconds: context.configuration.actions.stuckAfter.wholeSeconds,
            context.logger
        )
        journal = JournalCondition(context.logger, context.journalFailure)
    }

    /// Returns the reason why the store is not ready, apart from a reducer that does not end; `nil`
    /// while the store is ready.
    func notReady(isDraining: Bool) -> NotReady? {
        if isDraining { return .draining }
        return journal.failure.map { _ in .journalFailed }
    }
}

/// The condition of the journal: it accepts records, or has failed for good.
final class JournalCondition: Sendable {
    private struct Condition: Sendable {
        var failure: JournalError?
        var cancelEffects: @Sendable () -> Void = {}
    }

    private let condition = Locked(Condition())
    private let logger: Logger
    private let decision: JournalFailureDecision?

    init(_ logger: Logger, _ decision: JournalFailureDecision?) {
        self.logger = logger
        self.decision = decision
    }

    /// The reason why the journal failed; `nil` while it works.
    var failure: JournalError? { condition.withLock { $0.failure } }

    /// Sets the function that cancels the effects, whose results would be lost. Called before the
    /// Core starts.
    func onFailure(cancelEffects cancel: @escaping @Sendable () -> Void) {
        condition.withLock { $0.cancelEffects = cancel }
    }

    /// Handles an append with an unknown outcome. The Core calls this on its thread, and afterwards
    /// completes the requests whose actions were in the append.
    func failed(_ error: JournalError) {
        let cancelEffects = condition.withLock { condition -> (@Sendable () -> Void)? in
            guard condition.failure == nil else { return nil }
            condition.failure = error
            return condition.cancelEffects
        }
        guard let cancelEffects else { return }
        if case .atOnce(let decide) = decision { return decide(error) }
        logger.error(
            .journalFailed,
            "the journal failed: \(error); no action is applied before a restart, which goes on "
                + "from the records of the journal"
        )
        cancelEffects()
        guard case .later(let decide) = decision else { return }
        SystemThread.start(name: "journal failed") { decide(error) }
    }
}

enum JournalFailureDecision: Sendable {
    /// After the failure, the function is called on the Core's thread, before any request is
    /// answered. The function ends the process.
    case atOnce(@Sendable (JournalError) -> Void)
    /// The function is called on a thread of its own, and may stop the server.
    case later(@Sendable (JournalError) -> Void)
}
