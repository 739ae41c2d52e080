import Synchronization

/// A bounded number of threads that run the tasks of many owners, in the order in which they are
/// submitted.
///
/// Threads begin where a task comes and none sleeps, up to ``threadsMax``. A turn that is held
/// (``TurnAges``), by a disk or by a reducer that does not end, takes no thread from the others:
/// for each such turn one more thread may begin, at most ``surplusMax``. When a held turn ends
/// after all, its thread ends with it.
///
/// Any thread may make any call. Close a pool after all that runs on it: what still waits is
/// dropped.
package final class ThreadPool: Sendable {
    /// The most threads beyond ``threadsMax``, whatever is held.
    package static let surplusMax = 64
    /// How long a task goes on in one turn although others wait, in nanoseconds.
    package static let turnNanosecondsMax: UInt64 = 2_000_000

    /// Starts a thread; returns whether the system gave one.
    package typealias Starter =
        @Sendable (
            _ name: String, _ niceness: CInt?, _ body: @escaping @Sendable () -> Void
        ) -> Bool

    /// How many there are at this moment.
    package struct Counts: Sendable, Equatable {
        /// Threads, with those that sleep and those that are about to begin.
        package var threads = 0
        /// Threads that sleep and have not been woken.
        package var idle = 0
        /// Threads whose turn has lasted for a whole interval between two calls of
        /// ``ThreadPool/relieve()``.
        package var held = 0
        /// Tasks that wait for a thread.
        package var waiting = 0
        /// Threads that the system has refused since the start.
        package var refusedTotal: UInt64 = 0
    }

    private struct State: Sendable {
        var queue = TaskQueue()
        var threads = 0
        /// How many of them sleep and have not been woken.
        var asleep = 0
        /// How many have been woken, or are about to begin, and have not taken a task yet.
        var coming = 0
        var ages = TurnAges()
        /// Set by a refusal of the system until the next ``ThreadPool/relieve()``.
        var isRefused = false
        var refusedTotal: UInt64 = 0
        var isClosed = false

        /// Chooses a thread for what waits, where fewer than that are on their way.
        mutating func wakeup(threadsMax: Int) -> Wakeup {
            guard queue.count > coming else { return .none }
            if asleep > 0 {
                asleep -= 1
                coming += 1
                return .wake
            }
            guard !isRefused, threads - ages.held < threadsMax,
                threads < threadsMax + ThreadPool.surplusMax
            else { return .none }
            threads += 1
            coming += 1
            return .begin(isFirst: threads == 1)
        }
    }

    private enum Wakeup: Sendable {
        case none, wake
        case begin(isFirst: Bool)
    }

    /// What a thread did last.
    private enum Last: Sendable {
        /// It began, or it was woken.
        case arrival
        case turn(interval: UInt64)
    }

    /// What a thread does next.
    private enum Next: Sendable {
        case turn(any PooledTask, interval: UInt64, Wakeup)
        case sleep
        case end(isLast: Bool)
    }

    package let threadsMax: Int
    private let name: String
    private let niceness: CInt?
    /// The highest nice value of a thread that begins others: they take it over, and can't lower
    /// it.
    private let starterNicenessMax: CInt
    private let startThread: Starter
    private let state = Locked(State())
    /// How many tasks wait, for a look without the lock.
    private let waiting = Atomic(0)
    private let sleepers: Sleepers
    private let ended = Latch()

    /// Makes a pool without a thread.
    ///
    /// - Parameters:
    ///   - name: the threads' name; at most 15 bytes of it show in `top -H` and debuggers.
    ///   - niceness: the lowest nice value of the threads; `nil` leaves them that of the thread
    ///     that makes the pool.
    ///   - threadsMax: the most threads whose turns are not held.
    ///   - idleSecondsMax: how long a thread sleeps before it ends. `nil` keeps it.
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
                threads: state.threads,
                idle: state.asleep,
                held: state.ages.held,
                waiting: state.queue.count,
                refusedTotal: state.refusedTotal
            )
        }
    }

    /// Has a thread run the task, behind those that wait.
    ///
    /// Cost: one short lock; a system call only where a thread sleeps or has to begin. Where the
    /// system refuses a thread the task waits for another, or for ``relieve()``.
    ///
    /// - Returns: `false` once the pool is closed; the task is not run then.
    @discardableResult
    package func submit(_ task: any PooledTask) -> Bool {
        let wakeup = state.withLock { state -> Wakeup? in
            guard !state.isClosed else { return nil }
            state.queue.append(task)
            waiting.store(state.queue.count, ordering: .relaxed)
            return state.wakeup(threadsMax: threadsMax)
        }
        guard let wakeup else { return false }
        perform(wakeup)
        return true
    }

    /// Whether a task waits for a thread.
    package var isAwaited: Bool { waiting.load(ordering: .relaxed) > 0 }

    /// Whether a turn that began at this moment of ``SystemTime/steadyNanoseconds()`` is to end
    /// although there is more to do: others wait, and it has lasted for ``turnNanosecondsMax``.
    package func isTurnOver(since began: UInt64) -> Bool {
        isAwaited && SystemTime.steadyNanoseconds() - began >= Self.turnNanosecondsMax
    }

    /// Begins a thread, one in each call, where a task waits and the turns of others are held, or
    /// where the system refused one before.
    ///
    /// To be called about every tenth of a second for as long as the pool is in use, by a thread
    /// that is not of the pool: two calls with a turn under way in both make it a held one.
    package func relieve() {
        let wakeup = state.withLock { state -> Wakeup in
            guard !state.isClosed else { return .none }
            state.ages.advance()
            state.isRefused = false
            return state.wakeup(threadsMax: threadsMax)
        }
        perform(wakeup)
    }

    /// Takes nothing more, drops what waits, and ends the threads when their turns end.
    ///
    /// A second call waits again.
    ///
    /// - Returns: whether all threads have ended before the seconds were over.
    @discardableResult
    package func close(seconds: Double) -> Bool {
        let (asleep, isOver, dropped) = state.withLock { state -> (Int, Bool, TaskQueue) in
            state.isClosed = true
            defer {
                state.asleep = 0
                state.queue = TaskQueue()
                waiting.store(0, ordering: .relaxed)
            }
            return (state.asleep, state.threads == 0, state.queue)
        }
        // What the tasks keep is released here, where the lock is not held.
        _ = dropped
        if isOver { ended.open() }
        sleepers.wake(asleep)
        return ended.wait(seconds: seconds)
    }

    private func perform(_ wakeup: Wakeup) {
        switch wakeup {
        case .none: break
        case .wake: sleepers.wake()
        case .begin(let isFirst): begin(isFirst: isFirst)
        }
    }

    /// Starts the thread that was counted. One that would be nicer than the pool's is not started,
    /// unless there is no other: a thread of the pool or ``relieve()`` starts it.
    private func begin(isFirst: Bool) {
        let isTooNice = !isFirst && SystemThread.niceness > starterNicenessMax
        if !isTooNice, startThread(name, niceness, { [self] in run() }) { return }
        let (isLast, wakes) = state.withLock { state -> (Bool, Bool) in
            state.threads -= 1
            state.coming -= 1
            if !isTooNice {
                state.isRefused = true
                state.refusedTotal += 1
            }
            // A thread may have gone to sleep because this one was on its way.
            let wakes = state.asleep > 0 && state.queue.count > state.coming
            if wakes {
                state.asleep -= 1
                state.coming += 1
            }
            return (state.isClosed && state.threads == 0, wakes)
        }
        if isLast { ended.open() }
        if wakes { sleepers.wake() }
    }
}

// What the threads do.

extension ThreadPool {
    private func run() {
        var last = Last.arrival
        while let task = next(after: &last) { task.takeTurn() }
    }

    /// Takes the next task; `nil` where the thread is to end.
    private func next(after last: inout Last) -> (any PooledTask)? {
        while true {
            switch state.withLock({ next(after: last, &$0) }) {
            case .turn(let task, let interval, let wakeup):
                last = .turn(interval: interval)
                perform(wakeup)
                return task
            case .sleep:
                if !sleep() { return nil }
                last = .arrival
            case .end(let isLast):
                if isLast { ended.open() }
                return nil
            }
        }
    }

    private func next(after last: Last, _ state: inout State) -> Next {
        switch last {
        case .arrival: state.coming -= 1
        case .turn(let interval): state.ages.end(interval)
        }
        // Another thread has begun in the place of this one while its turn was held.
        guard !state.isClosed, state.threads - state.ages.held <= threadsMax else {
            state.threads -= 1
            return .end(isLast: state.isClosed && state.threads == 0)
        }
        guard let task = state.queue.popFirst() else {
            state.asleep += 1
            return .sleep
        }
        waiting.store(state.queue.count, ordering: .relaxed)
        // Where no thread could begin when a task came, one can now that another turn is held.
        let wakeup = state.wakeup(threadsMax: threadsMax)
        return .turn(task, interval: state.ages.begin(), wakeup)
    }

    /// Sleeps until a task comes; returns `false` where the thread was idle for long enough.
    private func sleep() -> Bool {
        sleepers.sleep {
            state.withLock { state in
                guard state.asleep > 0 else { return false }
                state.asleep -= 1
                state.threads -= 1
                return true
            }
        }
    }
}
