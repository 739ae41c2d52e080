import Platform
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
    private let begun = ContinuousClock.now
    private let cancelled = Atomic(false)
    private let task = Locked<(@Sendable () -> Void)?>(nil)

    init(address: SliceAddress, id: String, cause: EffectCause, number: Int = 0) {
        self.address = address
        self.number = number
        self.id = id
        self.cause = cause
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
