import StoreCore
import StorePlatform
import StoreTelemetry
import Synchronization

/// Whether the journal takes records, or has failed for good.
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

    /// Why the journal failed; `nil` while it works.
    var failure: JournalError? { condition.withLock { $0.failure } }

    /// - Parameter cancel: cancels the effects, whose results would be lost. Called before the Core
    ///   starts.
    func onFailure(cancelEffects cancel: @escaping @Sendable () -> Void) {
        condition.withLock { $0.cancelEffects = cancel }
    }

    /// The Core calls this, on its thread, when the outcome of an append is not known. Requests of
    /// that append are completed after it has returned.
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
            "the journal failed: \(error); no action is applied any more, and a new start goes on from "
                + "what the journal has"
        )
        cancelEffects()
        guard case .later(let decide) = decision else { return }
        SystemThread.start(name: "journal failed") { decide(error) }
    }
}

/// What happens when the journal has failed.
enum JournalFailureDecision: Sendable {
    /// Called on the Core's thread, before any request is answered after the failure. It ends the
    /// process.
    case atOnce(@Sendable (JournalError) -> Void)
    /// Called on a thread of its own.
    case later(@Sendable (JournalError) -> Void)
}
