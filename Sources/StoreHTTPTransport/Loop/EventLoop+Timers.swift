import Glibc
import StorePlatform
import Synchronization

struct TimerMail: Sendable {
    var scheduledTimers: [LoopTimer] = []
    var cancelledTimers: [LoopTimer] = []
}

extension EventLoop {
    /// Runs `work` on the loop's thread after `seconds`, unless the timer is cancelled first.
    ///
    /// Any thread may call this function. Cost on the loop's own thread: O(log n). Cost on another
    /// thread: a short lock, and a system call if the loop would sleep beyond the timer's time.
    func schedule(after seconds: Double, _ work: @escaping @Sendable () -> Void) -> LoopTimer {
        guard isLoopThread else {
            let timer = LoopTimer(due: SystemTime.steadySeconds() + seconds, on: self, work)
            post { $0.scheduledTimers.append(timer) }
            if timer.due < Double(bitPattern: sleepEndBits.load(ordering: .sequentiallyConsistent))
            {
                wake()
            }
            return timer
        }
        let timer = LoopTimer(due: now + seconds, on: self, work)
        timer.id = timers.insert(timer, due: timer.due)
        return timer
    }

    /// Removes a cancelled timer. Any thread may call this function. A call on another thread does
    /// not wake the loop, and the timer leaves the heap in the loop's next turn.
    func removeCancelled(_ timer: LoopTimer) {
        if isLoopThread, let id = timer.id {
            timers.remove(id)
            timer.id = nil
        } else {
            post { $0.cancelledTimers.append(timer) }
        }
    }

    private func post(_ change: (inout TimerMail) -> Void) {
        timerMail.withLock { change(&$0) }
        hasTimerMail.store(true, ordering: .sequentiallyConsistent)
    }

    private var isLoopThread: Bool { ownThreadID.load(ordering: .relaxed) == UInt(pthread_self()) }

    func takeTimerMail() {
        guard hasTimerMail.load(ordering: .acquiring) else { return }
        hasTimerMail.store(false, ordering: .sequentiallyConsistent)
        let mail = timerMail.withLock { exchange(&$0, with: TimerMail()) }
        for timer in mail.scheduledTimers { timer.id = timers.insert(timer, due: timer.due) }
        for timer in mail.cancelledTimers {
            if let id = timer.id { timers.remove(id) }
            timer.id = nil
        }
    }

    func runTimers() {
        while let timer = timers.popDue(at: now) {
            timer.id = nil
            timer.takeWork()?()
        }
    }

    /// Stores the time at which the loop's sleep ends, and returns the length of the sleep. Returns
    /// 0 if another thread has queued a timer. Another thread queues first and then reads the
    /// stored time; the loop stores first and then reads the queue. So at least one of the two
    /// threads sees the write of the other thread.
    func beginSleep(_ milliseconds: CInt) -> CInt {
        guard milliseconds > 0 else { return milliseconds }
        let end = now + Double(milliseconds) / 1_000
        sleepEndBits.store(end.bitPattern, ordering: .sequentiallyConsistent)
        return hasTimerMail.load(ordering: .sequentiallyConsistent) ? 0 : milliseconds
    }

    func endSleep() { sleepEndBits.store(0, ordering: .relaxed) }
}

/// Work that the event loop does at a later time, unless the timer is cancelled first.
package final class LoopTimer: Sendable {
    let due: Double
    private let loop: EventLoop
    private let work: Locked<(@Sendable () -> Void)?>
    // Safety: only the loop's thread uses `id`.
    /// The timer's id, while the timer is in the loop's heap.
    nonisolated(unsafe) var id: TimerHeap<LoopTimer>.ID?

    init(due: Double, on loop: EventLoop, _ work: @escaping @Sendable () -> Void) {
        self.due = due
        self.loop = loop
        self.work = Locked(work)
    }

    /// Drops the work, unless the work has begun, and releases the work's objects at once. Any
    /// thread may call this function.
    package func cancel() {
        if takeWork() != nil { loop.removeCancelled(self) }
    }

    /// Returns the work on the first call, and `nil` later.
    func takeWork() -> (@Sendable () -> Void)? { work.withLock { $0.take() } }
}
