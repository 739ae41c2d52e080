import StorePlatform
import StoreTraces
import Synchronization

/// One effect at work: who it is, and whether it still counts.
package final class EffectToken: Sendable {
    /// The slice that it works for.
    package let address: SliceAddress
    /// By what it can be cancelled in its session: `home/titles`, or `home/42.1` where it has no id
    /// of its own.
    package let id: String
    package let cause: EffectCause
    /// How many effects had begun before it: those that are cancelled together are so in this
    /// order.
    let number: Int
    /// Its span; `nil` where its trace is not exported.
    let span: Span.Identity?
    /// The trace that it is a part of, for what it dispatches and sends; `nil` where there is none.
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

    /// Whether what it dispatches is not applied any more.
    package var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// How long it has been at work.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = begun.duration(to: .now).components
        return UInt64(clamping: seconds) &* 1_000_000_000
            &+ UInt64(clamping: attoseconds / 1_000_000_000)
    }

    /// Ends it. What it has dispatched and the Core has not come to yet is dropped.
    package func cancel() {
        cancelled.store(true, ordering: .releasing)
        task.withLock { $0 }?()
    }

    func began<Success: Sendable>(_ task: Task<Success, Never>) {
        self.task.withLock { $0 = { task.cancel() } }
        if isCancelled { task.cancel() }
    }
}
