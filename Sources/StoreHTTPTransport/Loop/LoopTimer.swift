import StorePlatform
import Synchronization

/// Work that the event loop does at a later moment, unless it is cancelled before.
package final class LoopTimer: Sendable {
    let due: Double
    private let loop: EventLoop
    private let work: Locked<(@Sendable () -> Void)?>
    // Safety: only the loop's thread touches it.
    /// Its name in the loop's heap, while it is there.
    nonisolated(unsafe) var id: TimerHeap<LoopTimer>.ID?

    init(due: Double, on loop: EventLoop, _ work: @escaping @Sendable () -> Void) {
        self.due = due
        self.loop = loop
        self.work = Locked(work)
    }

    /// Drops the work, unless it has begun. Any thread; what the work holds is released at once.
    package func cancel() {
        if take() != nil { loop.drop(self) }
    }

    /// The work, the first time.
    func take() -> (@Sendable () -> Void)? {
        work.withLock { work in
            defer { work = nil }
            return work
        }
    }
}
