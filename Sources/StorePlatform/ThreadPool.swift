import Synchronization

/// A bounded number of threads that run the tasks of many owners, in the order of submission.
///
/// When a task comes, a new thread begins if no thread sleeps and there are fewer than
/// ``threadsMax`` threads. A turn that takes very long is a held turn (``TurnAges``): its thread
/// may be blocked by a slow disk or an endless reducer. For each held turn, one more thread may
/// begin, but at most ``surplusThreadsMax`` threads, so that other tasks continue. When a held turn
/// ends, its thread ends, too, if more than ``threadsMax`` threads are outside held turns.
///
/// Any thread may call any function. Close a pool only after the workers that use it, because
/// waiting tasks are dropped.
package final class ThreadPool: Sendable {
    /// The maximum number of threads beyond ``threadsMax``, for any number of held turns.
    package static let surplusThreadsMax = 64
    /// The longest time that a task works in one turn while other tasks wait, in nanoseconds.
    package static let turnNanosecondsMax: UInt64 = 2_000_000

    package typealias Starter =
        @Sendable (
            _ name: String, _ niceness: CInt?, _ body: @escaping @Sendable () -> Void
        ) -> Bool

    /// Numbers of threads and tasks at one moment.
    package struct Counts: Sendable, Equatable {
        /// All threads, including sleeping threads and threads that are about to begin.
        package var threads = 0
        /// Threads that sleep and have not been woken.
        package var idleThreads = 0
        /// Threads whose turn has lasted for a whole interval between two calls of
        /// ``ThreadPool/beginMissingThread()``.
        package var heldThreads = 0
        package var waitingTasks = 0
        /// Threads that the system has refused since the start.
        package var refusedThreadsTotal: UInt64 = 0
    }

    private struct State: Sendable {
        var queue = TaskQueue()
        var threadCount = 0
        /// The number of threads that sleep and have not been woken.
        var sleepingThreadCount = 0
        /// The number of threads that were woken or are about to begin, and have not taken a task
        /// yet.
        var arrivingThreadCount = 0
        var ages = TurnAges()
        /// True from a refusal of the system until the next call of
        /// ``ThreadPool/beginMissingThread()``.
        var isThreadRefused = false
        var refusedThreadsTotal: UInt64 = 0
        var isClosed = false

        /// Chooses a thread for the waiting tasks, unless enough threads have been woken or are
        /// about to begin.
        mutating func chooseWakeup(threadsMax: Int) -> Wakeup {
            guard queue.count > arrivingThreadCount else { return .none }
            if sleepingThreadCount > 0 {
                sleepingThreadCount -= 1
                arrivingThreadCount += 1
                return .wake
            }
            guard !isThreadRefused, threadCount - ages.heldCount < threadsMax,
                threadCount < threadsMax + ThreadPool.surplusThreadsMax
            else { return .none }
            threadCount += 1
            arrivingThreadCount += 1
            return .begin(isFirst: threadCount == 1)
        }
    }

    private enum Wakeup: Sendable {
        case none, wake
        case begin(isFirst: Bool)
    }

    /// The last event of a thread.
    private enum LastEvent: Sendable {
        /// The thread began, or was woken.
        case arrival
        case turn(interval: UInt64)
    }

    /// The next step of a thread.
    private enum NextMove: Sendable {
        case turn(any PooledTask, interval: UInt64, Wakeup)
        case sleep
        case end(isLast: Bool)
    }

    package let threadsMax: Int
    private let name: String
    private let niceness: CInt?
    /// The highest nice value of a thread that may start a thread of the pool. The new thread
    /// inherits the value, and cannot lower it.
    private let starterNicenessMax: CInt
    private let startThread: Starter
    private let state = Locked(State())
    /// The number of waiting tasks, to be read without the lock.
    private let waitingCount = Atomic(0)
    private let sleepers: Sleepers
    private let threadsEnded = Latch()

    /// Makes a pool without a thread.
    ///
    /// - Parameters:
    ///   - name: the threads' name; at most 15 bytes of it show in `top -H` and debuggers.
    ///   - niceness: the lowest nice value of the threads; `nil` leaves them the value of the
    ///     thread that makes the pool.
    ///   - threadsMax: the maximum number of threads whose turns are not held.
    ///   - idleSecondsMax: the longest sleep of a thread before it ends; `nil` for no bound.
    ///   - startThread: starts a thread.
    package init(
        name: String,
        niceness: CInt? = nil,
        threadsMax: Int,
        idleSecondsMax: Double? = nil,
        startThread: @escaping Starter = SystemThread.startUnlessRefused
    ) {
        precondition(threadsMax > 0, "A pool without a thread never runs anything.")
        self.name = name
        self.niceness = niceness
        self.threadsMax = threadsMax
        sleepers = Sleepers(idleSecondsMax: idleSecondsMax)
        self.startThread = startThread
        starterNicenessMax = max(niceness ?? CInt.min, SystemThread.niceness)
    }

    package var counts: Counts {
        state.withLock { state in
            Counts(
                threads: state.threadCount,
                idleThreads: state.sleepingThreadCount,
                heldThreads: state.ages.heldCount,
                waitingTasks: state.queue.count,
                refusedThreadsTotal: state.refusedThreadsTotal
            )
        }
    }

    /// Appends the task to the queue. A thread of the pool runs the task.
    ///
    /// Cost: one short lock, and a system call only if a thread has to wake or begin. If the system
    /// refuses a thread, the task waits for another thread or for ``beginMissingThread()``.
    ///
    /// - Returns: `false` if the pool is closed. The pool then does not run the task.
    @discardableResult
    package func submit(_ task: any PooledTask) -> Bool {
        let wakeup = state.withLock { state -> Wakeup? in
            guard !state.isClosed else { return nil }
            state.queue.append(task)
            waitingCount.store(state.queue.count, ordering: .relaxed)
            return state.chooseWakeup(threadsMax: threadsMax)
        }
        guard let wakeup else { return false }
        wakeThread(wakeup)
        return true
    }

    package var hasWaitingTasks: Bool { waitingCount.load(ordering: .relaxed) > 0 }

    /// Returns true if a turn is to end although it has more work: other tasks wait, and the turn
    /// has lasted for ``turnNanosecondsMax``. `began` is a moment of
    /// ``SystemTime/steadyNanoseconds()``.
    package func isTurnOver(since began: UInt64) -> Bool {
        hasWaitingTasks && SystemTime.steadyNanoseconds() - began >= Self.turnNanosecondsMax
    }

    /// Begins at most one thread, if a task waits and a thread is missing. A thread is missing if
    /// turns are held, or if the start of a thread was refused or put off.
    ///
    /// A thread outside the pool must call this function about ten times a second while the pool is
    /// in use. A turn that lasts through two calls becomes a held turn.
    package func beginMissingThread() {
        let wakeup = state.withLock { state -> Wakeup in
            guard !state.isClosed else { return .none }
            state.ages.beginInterval()
            state.isThreadRefused = false
            return state.chooseWakeup(threadsMax: threadsMax)
        }
        wakeThread(wakeup)
    }

    /// Refuses new tasks, drops the waiting tasks, and ends the threads when their turns end.
    ///
    /// A second call waits for the threads again.
    ///
    /// - Returns: `true` if all threads have ended before the seconds were over.
    @discardableResult
    package func close(seconds: Double) -> Bool {
        let (asleep, isOver, dropped) = state.withLock { state -> (Int, Bool, TaskQueue) in
            state.isClosed = true
            defer {
                state.sleepingThreadCount = 0
                state.queue = TaskQueue()
                waitingCount.store(0, ordering: .relaxed)
            }
            return (state.sleepingThreadCount, state.threadCount == 0, state.queue)
        }
        // The dropped tasks are released here, outside the lock.
        _ = dropped
        if isOver { threadsEnded.open() }
        sleepers.wake(asleep)
        return threadsEnded.wait(seconds: seconds)
    }

    private func wakeThread(_ wakeup: Wakeup) {
        switch wakeup {
        case .none: break
        case .wake: sleepers.wake()
        case .begin(let isFirst): beginThread(isFirst: isFirst)
        }
    }

    /// Starts a counted thread. If the calling thread's nice value is too high, a thread of the
    /// pool or ``beginMissingThread()`` starts the new thread later. The pool's first thread starts
    /// at any nice value.
    private func beginThread(isFirst: Bool) {
        let isTooNice = !isFirst && SystemThread.niceness > starterNicenessMax
        if !isTooNice, startThread(name, niceness, { [self] in run() }) { return }
        let (isLast, wakeup) = state.withLock { state -> (Bool, Wakeup) in
            state.threadCount -= 1
            state.arrivingThreadCount -= 1
            if !isTooNice {
                state.isThreadRefused = true
                state.refusedThreadsTotal += 1
            }
            // Another thread may have gone to sleep because the new thread was about to begin. Such
            // a sleeping thread is woken, but no further thread begins.
            return (state.isClosed && state.threadCount == 0, state.chooseWakeup(threadsMax: 0))
        }
        if isLast { threadsEnded.open() }
        wakeThread(wakeup)
    }
}

// The loop of the threads.

extension ThreadPool {
    private func run() {
        var last = LastEvent.arrival
        while let task = nextTask(after: &last) { task.takeTurn() }
    }

    /// Takes the next task. Returns `nil` if the thread is to end.
    private func nextTask(after last: inout LastEvent) -> (any PooledTask)? {
        while true {
            switch state.withLock({ chooseMove(after: last, &$0) }) {
            case .turn(let task, let interval, let wakeup):
                last = .turn(interval: interval)
                wakeThread(wakeup)
                return task
            case .sleep:
                if !sleep() { return nil }
                last = .arrival
            case .end(let isLast):
                if isLast { threadsEnded.open() }
                return nil
            }
        }
    }

    private func chooseMove(after last: LastEvent, _ state: inout State) -> NextMove {
        switch last {
        case .arrival: state.arrivingThreadCount -= 1
        case .turn(let interval): state.ages.endTurn(begunIn: interval)
        }
        // Another thread may have begun in place of this thread while this thread's turn was held.
        guard !state.isClosed, state.threadCount - state.ages.heldCount <= threadsMax else {
            state.threadCount -= 1
            return .end(isLast: state.isClosed && state.threadCount == 0)
        }
        guard let task = state.queue.popFirst() else {
            state.sleepingThreadCount += 1
            return .sleep
        }
        waitingCount.store(state.queue.count, ordering: .relaxed)
        // When the waiting tasks came, perhaps no further thread was allowed. If another turn has
        // become a held turn since then, a thread can begin.
        let wakeup = state.chooseWakeup(threadsMax: threadsMax)
        return .turn(task, interval: state.ages.beginTurn(), wakeup)
    }

    /// Sleeps until a task comes. Returns `false` if the thread has slept for the longest allowed
    /// time.
    private func sleep() -> Bool {
        sleepers.sleep {
            state.withLock { state in
                guard state.sleepingThreadCount > 0 else { return false }
                state.sleepingThreadCount -= 1
                state.threadCount -= 1
                return true
            }
        }
    }
}
