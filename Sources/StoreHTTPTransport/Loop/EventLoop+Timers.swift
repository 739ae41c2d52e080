import Glibc
import StorePlatform
import Synchronization

/// Timers on their way to the loop's thread.
struct TimerMail: Sendable {
    var scheduled: [LoopTimer] = []
    var dropped: [LoopTimer] = []
}

extension EventLoop {
    /// Runs `work` on the loop's thread after so many seconds, unless the timer is cancelled
    /// before.
    ///
    /// Any thread. Cost: O(log n) on the loop's own thread; elsewhere a short lock, and a system
    /// call only where the loop sleeps beyond that moment.
    func schedule(after seconds: Double, _ work: @escaping @Sendable () -> Void) -> LoopTimer {
        guard isOwnThread else {
            let timer = LoopTimer(due: SystemTime.steadySeconds() + seconds, on: self, work)
            post { $0.scheduled.append(timer) }
            if timer.due < Double(bitPattern: sleepsUntil.load(ordering: .sequentiallyConsistent)) {
                wake()
            }
            return timer
        }
        let timer = LoopTimer(due: now + seconds, on: self, work)
        timer.id = timers.insert(timer, due: timer.due)
        return timer
    }

    /// Takes out a timer that was cancelled. Any thread; elsewhere than on the loop's own the timer
    /// leaves the heap with the loop's next turn, for which nothing is woken.
    func drop(_ timer: LoopTimer) {
        if isOwnThread, let id = timer.id {
            timers.remove(id)
            timer.id = nil
        } else {
            post { $0.dropped.append(timer) }
        }
    }

    private func post(_ change: (inout TimerMail) -> Void) {
        timerMail.withLock { change(&$0) }
        hasTimerMail.store(true, ordering: .sequentiallyConsistent)
    }

    private var isOwnThread: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    func takeTimers() {
        guard hasTimerMail.load(ordering: .acquiring) else { return }
        hasTimerMail.store(false, ordering: .sequentiallyConsistent)
        let mail = timerMail.withLock { mail -> TimerMail in
            defer { mail = TimerMail() }
            return mail
        }
        for timer in mail.scheduled { timer.id = timers.insert(timer, due: timer.due) }
        for timer in mail.dropped {
            if let id = timer.id { timers.remove(id) }
            timer.id = nil
        }
    }

    func runTimers() {
        while let timer = timers.popDue(at: now) {
            timer.id = nil
            timer.take()?()
        }
    }

    /// Stores until when the loop sleeps, and returns for how long: zero where another thread has
    /// queued a timer. That thread queues first and reads the stored moment then, the loop stores
    /// first and reads the queue then, so that one of them always sees the other.
    func beginSleep(_ milliseconds: CInt) -> CInt {
        guard milliseconds > 0 else { return milliseconds }
        let end = now + Double(milliseconds) / 1_000
        sleepsUntil.store(end.bitPattern, ordering: .sequentiallyConsistent)
        return hasTimerMail.load(ordering: .sequentiallyConsistent) ? 0 : milliseconds
    }

    func endSleep() {
        sleepsUntil.store(0, ordering: .relaxed)
    }
}
