import StorePlatform
import Synchronization

/// Work that the event loop does at a later time, unless it is cancelled before.
package final class LoopTimer: Sendable {
    let due: Double
    private let loop: EventLoop
    private let work: Locked<(@Sendable () -> Void)?>
    // Safety: only the loop's thread touches it.
    /// The timer's id in the loop's heap, while it is there.
    nonisolated(unsafe) var id: TimerHeap<LoopTimer>.ID?

    init(due: Double, on loop: EventLoop, _ work: @escaping @Sendable () -> Void) {
        self.due = due
        self.loop = loop
        self.work = Locked(work)
    }

    /// Drops the work, unless it has begun. Any thread; objects that the work holds are released at
    /// once.
    package func cancel() {
        if take() != nil { loop.drop(self) }
    }

    /// Returns the work on the first call, and `nil` later.
    func take() -> (@Sendable () -> Void)? {
        work.withLock { work in
            defer { work = nil }
            return work
        }
    }
}
