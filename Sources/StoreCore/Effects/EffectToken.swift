import StorePlatform
import StoreTraces
import Synchronization

/// A running effect: its identity, and its cancellation.
package final class EffectToken: Sendable {
    /// The slice that the effect works for.
    package let address: SliceAddress
    /// The name for cancelling the effect in its session, such as `home/titles`. An effect without
    /// an id of its own has a generated one, such as `home/42.1`.
    package let id: String
    package let cause: EffectCause
    /// The number of the effect in the order in which effects began, from 1. Effects that are
    /// cancelled together are cancelled in this order.
    let number: Int
    /// The span of the effect; `nil` if its trace is not exported.
    let span: Span.Identity?
    /// The trace for the actions and requests of the effect; `nil` if there is none.
    let trace: String?
    private let begun = ContinuousClock.now
    private let cancelled = Atomic(false)
    private let task = Locked<(@Sendable () -> Void)?>(nil)

    init(
        address: SliceAddress,
        id: String,
        cause: EffectCause,
        number: Int = 0,
        span: Span.Identity? = nil
    ) {
        self.address = address
        self.number = number
        self.id = id
        self.cause = cause
        self.span = span
        trace = span?.traceparent ?? cause.trace
    }

    /// True if the Core no longer applies the actions that the effect dispatches.
    package var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// The time in nanoseconds since the effect began.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = begun.duration(to: .now).components
        return UInt64(clamping: seconds) &* 1_000_000_000
            &+ UInt64(clamping: attoseconds / 1_000_000_000)
    }

    /// Cancels the effect. The Core drops actions of the effect that are still in the mailbox.
    package func cancel() {
        cancelled.store(true, ordering: .releasing)
        task.withLock { $0 }?()
    }

    func began<Success: Sendable>(_ task: Task<Success, Never>) {
        self.task.withLock { $0 = { task.cancel() } }
        if isCancelled { task.cancel() }
    }
}
