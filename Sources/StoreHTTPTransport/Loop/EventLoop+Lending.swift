import Glibc
import StorePlatform
import Synchronization

// Between two turns, the loop's thread may do work of the handler, which saves two switches between
// threads. During this work, the loop is lent: a second thread takes the loop over if the work
// takes long. The thread that did the work then becomes the second thread.

/// The data that decide which thread leads a loop. The lead can pass to another thread while the
/// loop is lent.
struct LoopLeadership: ~Copyable, Sendable {
    /// The seconds between two checks by the second thread, while the loop is lent again and again.
    /// The second thread takes the loop over when one loan has lasted for one to two of these
    /// intervals.
    static let checkIntervalSeconds = 0.005
    /// The number of checks without a new loan after which the second thread sleeps.
    static let idleChecksMax = 40

    /// Twice the number of changes of the leader so far, plus 1 while the loop is lent.
    let term = Atomic<UInt64>(0)
    let lentCount = Atomic<UInt64>(0)
    /// True while the second thread checks the loop again and again.
    let isWatched = Atomic(false)
    let isOver = Atomic(false)
    let wakeSignal = TimedSemaphore()

    /// Begins the term `next`, and returns true, unless another thread has ended the term `last`
    /// meanwhile.
    func beginTerm(_ next: UInt64, after last: UInt64) -> Bool {
        term.compareExchange(expected: last, desired: next, ordering: .sequentiallyConsistent)
            .exchanged
    }
}

extension EventLoop {
    /// Runs the loop until a stop is requested and done, and then calls `ended`. `startThread`
    /// starts the second thread when the loop is lent for the first time.
    func run(
        startThread: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        ended: @escaping @Sendable () -> Void
    ) {
        startSecondThread = { [self] in startThread { self.followAndLead(ended) } }
        guard daemon != nil else { return ended() }
        beginTurn()
        nextTick = now + tickDuration
        if lead(in: 0, ended) { followAndLead(ended) }
    }

    /// Waits until this thread may take the loop over, and then leads the loop. Repeats both until
    /// the loop is over.
    private func followAndLead(_ ended: @Sendable () -> Void) {
        while let term = waitToTakeOver(), lead(in: term, ended) {}
    }

    /// Leads the loop. Returns true when another thread leads the loop, or false when the loop is
    /// over.
    private func lead(in term: UInt64, _ ended: @Sendable () -> Void) -> Bool {
        guard runTurns(in: term) else { return true }
        leadership.isOver.store(true, ordering: .sequentiallyConsistent)
        leadership.wakeSignal.signal()
        ended()
        return false
    }

    /// Does the handler's work while another thread may take the loop over. Returns false if
    /// another thread has taken the loop over. The calling thread then may use nothing that belongs
    /// to the loop.
    func lend(in term: UInt64, for work: @Sendable () -> Void) -> Bool {
        startSecondThread?()
        startSecondThread = nil
        ownThreadID.store(0, ordering: .relaxed)
        borrowerThreadID.store(UInt(pthread_self()), ordering: .relaxed)
        leadership.lentCount.add(1, ordering: .relaxed)
        leadership.term.store(term | 1, ordering: .sequentiallyConsistent)
        if !leadership.isWatched.load(ordering: .sequentiallyConsistent) {
            leadership.isWatched.store(true, ordering: .sequentiallyConsistent)
            leadership.wakeSignal.signal()
        }
        work()
        borrowerThreadID.store(0, ordering: .relaxed)
        let isBack = leadership.beginTerm(term, after: term | 1)
        if isBack { ownThreadID.store(UInt(pthread_self()), ordering: .relaxed) } else { wake() }
        return isBack
    }

    /// True if the calling thread does the handler's work and still leads the loop. The thread then
    /// sends the completed answers after the work, without a wakeup.
    var isOnBorrowerThread: Bool {
        borrowerThreadID.load(ordering: .relaxed) == UInt(pthread_self())
            && leadership.term.load(ordering: .sequentiallyConsistent) & 1 == 1
    }

    /// Waits until a loan of the loop lasts long, and takes the loop over. Returns the new term, or
    /// `nil` when the loop is over.
    private func waitToTakeOver() -> UInt64? {
        var lastCount: UInt64 = 0
        var looks = 0
        while !leadership.isOver.load(ordering: .sequentiallyConsistent) {
            if looks >= LoopLeadership.idleChecksMax { sleepUntilLent() }
            looks =
                leadership.wakeSignal.wait(seconds: LoopLeadership.checkIntervalSeconds)
                ? 0 : looks + 1
            let term = leadership.term.load(ordering: .sequentiallyConsistent)
            let count = leadership.lentCount.load(ordering: .relaxed)
            if count != lastCount { looks = 0 }
            defer { lastCount = count }
            guard term & 1 == 1, count == lastCount else { continue }
            let next = (term & ~1) + 2
            if leadership.beginTerm(next, after: term) { return next }
        }
        return nil
    }

    /// Sleeps until the loop is lent or over. The leader lends the loop and then reads `isWatched`.
    /// This thread writes `isWatched` and then reads the term. So at least one of the two threads
    /// sees the write of the other thread.
    private func sleepUntilLent() {
        leadership.isWatched.store(false, ordering: .sequentiallyConsistent)
        let isLent = leadership.term.load(ordering: .sequentiallyConsistent) & 1 == 1
        guard !isLent, !leadership.isOver.load(ordering: .sequentiallyConsistent) else {
            return leadership.isWatched.store(true, ordering: .sequentiallyConsistent)
        }
        leadership.wakeSignal.wait()
    }
}
