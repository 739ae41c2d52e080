#if !THREAD_SANITIZER
    public import Synchronization
#endif

/// A few threads, often only one, that do the work in a bounded queue. The threads belong to the
/// worker or to a pool (``WorkerThreads``).
///
/// Other threads change the queue by ``post(_:)`` and never wait for the work. A post makes a
/// system call only if work comes and a thread sleeps. An awake thread checks the queue again
/// before it sleeps.
///
/// The type is public so that the compiler specialises its calls for each queue. The code of a
/// `package` type is not inlined into other modules.
public final class Worker<Queue: WorkQueue>: Sendable {
    package enum Start: Sendable {
        case atOnce, withFirstWork
    }

    /// The loop of a thread. The loop calls ``next(beforeSleep:)`` and does the work until the call
    /// returns `nil`.
    public typealias Body = @Sendable (Worker<Queue>) -> Void

    @usableFromInline
    struct State: Sendable {
        @usableFromInline var queue: Queue
        /// The number of threads, including threads that are about to begin. For a worker on a
        /// pool, the number of turns that run or wait.
        @usableFromInline var threadCount = 0
        /// The number of threads that sleep and have not been woken.
        @usableFromInline var sleepingThreadCount = 0
        @usableFromInline var isClosed = false
        @usableFromInline var body: Body?
        /// The state of the turns; used only by a worker on a pool.
        var turns = WorkerTurns()

        /// Chooses a thread for the waiting work: a sleeping thread, or else a new thread. Chooses
        /// no thread if no thread sleeps and no further thread may begin.
        @inlinable
        mutating func chooseWakeup(threadsMax: Int) -> Wakeup {
            guard !queue.isEmpty else { return .none }
            if sleepingThreadCount > 0 {
                sleepingThreadCount -= 1
                return .wake
            }
            guard let body, threadCount < threadsMax else { return .none }
            threadCount += 1
            return .begin(body)
        }
    }

    @usableFromInline
    enum Wakeup: Sendable {
        case none, wake
        case begin(Body)
    }

    @usableFromInline let state: Locked<State>
    @usableFromInline let threadsMax: Int
    @usableFromInline let sleepers: Sleepers
    private let name: String
    private let niceness: CInt?
    let pool: ThreadPool?
    @usableFromInline let isPooled: Bool
    private let closing = Latch()
    let threadsEnded = Latch()

    /// Makes a worker without a thread. If the worker has threads of its own, at most 15 bytes of
    /// their name show in `top -H` and debuggers.
    ///
    /// When work comes, a thread begins if no thread sleeps and there are fewer than `threadsMax`
    /// threads. If `threadsMax` is 1, the work is done in its order, also on a pool.
    package init(
        _ name: String,
        on threads: WorkerThreads = .own(),
        threadsMax: Int = 1,
        queue: Queue
    ) {
        self.name = name
        self.threadsMax = threadsMax
        switch threads {
        case .own(let niceness, let idleSecondsMax):
            (self.niceness, pool) = (niceness, nil)
            sleepers = Sleepers(idleSecondsMax: idleSecondsMax)
        case .pool(let pool):
            (niceness, self.pool) = (nil, pool)
            sleepers = Sleepers(idleSecondsMax: nil)
        }
        isPooled = pool != nil
        state = Locked(State(queue: queue))
    }

    /// Allows threads to begin. Call this function once; work that was posted earlier waits for the
    /// call.
    ///
    /// The worker keeps the body until ``close(seconds:_:)``. The body gets the worker as its
    /// argument, so that the body need not capture the worker's owner.
    package func start(_ start: Start = .atOnce, _ body: @escaping Body) {
        let wakeup = state.withLock { state -> Wakeup in
            guard !state.isClosed else { return .none }
            state.body = body
            guard start == .atOnce || !state.queue.isEmpty else { return .none }
            state.threadCount += 1
            return .begin(body)
        }
        wakeThread(wakeup)
    }

    /// Changes the queue, and wakes or begins a thread if there is work. Any thread may call this
    /// function, which never waits for the work.
    ///
    /// - Returns: the result of `change`. `nil` if the worker is closed; then the queue is
    ///   unchanged.
    @inlinable
    @discardableResult
    public func post<Result: Sendable>(_ change: (inout Queue) -> Result) -> Result? {
        let (result, wakeup) = state.withLock { state -> (Result?, Wakeup) in
            guard !state.isClosed else { return (nil, .none) }
            let result = change(&state.queue)
            return (result, state.chooseWakeup(threadsMax: threadsMax))
        }
        wakeThread(wakeup)
        return result
    }

    /// Reads or changes the queue without adding work. Any thread may call this function, even
    /// after ``close(seconds:_:)``.
    @inlinable
    public func withQueue<Result: Sendable>(_ body: (inout Queue) -> Result) -> Result {
        state.withLock { body(&$0.queue) }
    }

    /// Reads or changes the queue if the worker rests. The worker rests if the queue is empty, and
    /// no thread works, has been woken or is about to begin. Any thread may call this function.
    ///
    /// A caller that does the worker's work itself marks the queue in `body`. ``WorkQueue/isEmpty``
    /// must be true for a marked queue even if work comes, so that no thread takes the work. The
    /// caller removes the mark by ``post(_:)``.
    ///
    /// - Returns: the result of `body`; `nil` if the worker does not rest, or is closed.
    @inlinable
    public func withRestingQueue<Result: Sendable>(_ body: (inout Queue) -> Result?) -> Result? {
        state.withLock { state in
            guard !state.isClosed, state.sleepingThreadCount == state.threadCount,
                state.queue.isEmpty
            else {
                return nil
            }
            return body(&state.queue)
        }
    }

    /// Refuses new work, and ends the threads when the queue is empty. `change` drops the work that
    /// is not to be done.
    ///
    /// A second call waits for the threads again.
    ///
    /// - Returns: `true` if all threads have ended before the seconds were over.
    package func close(seconds: Double, _ change: (inout Queue) -> Void = { _ in }) -> Bool {
        let (asleep, isOver, body) = state.withLock { state -> (Int, Bool, Body?) in
            guard !state.isClosed else { return (0, false, nil) }
            state.isClosed = true
            change(&state.queue)
            defer {
                state.sleepingThreadCount = 0
                // The turns that wait in a pool still need the body.
                if pool == nil || state.threadCount == 0 { state.body = nil }
            }
            return (state.sleepingThreadCount, state.threadCount == 0, state.body)
        }
        // The objects that the body has captured are released here, outside the lock.
        _ = body
        closing.open()
        if isOver { threadsEnded.open() }
        sleepers.wake(asleep)
        return threadsEnded.wait(seconds: seconds)
    }

    @inlinable
    func wakeThread(_ wakeup: Wakeup) {
        switch wakeup {
        case .none: break
        case .wake: sleepers.wake()
        case .begin(let body): beginThread(body)
        }
    }

    @usableFromInline
    func beginThread(_ body: @escaping Body) {
        if let pool { return submitTurn(to: pool) }
        SystemThread.start(name: name, niceness: niceness) { [self] in
            repeat { body(self) } while !retireThread(evenWithWork: false)
        }
    }
}

// The calls of the threads.

extension Worker {
    /// Takes work from the queue. If the queue is empty, calls `beforeSleep`, and then waits for
    /// work. Returns `nil` if the thread is to end.
    ///
    /// On a pool, the call never waits. Returns `nil` if the turn is to end, because the queue is
    /// empty or because other tasks wait for a thread of the pool. More work begins another turn.
    @inlinable
    public func next(beforeSleep: () -> Void = {}) -> Queue.Work? {
        if isPooled { return takeWorkInTurn(beforeEnd: beforeSleep) }
        while true {
            let (work, isOver) = state.withLock { state -> (Queue.Work?, Bool) in
                if !state.queue.isEmpty { return (state.queue.take(), false) }
                if !state.isClosed { state.sleepingThreadCount += 1 }
                return (nil, state.isClosed)
            }
            if isOver || work != nil { return work }
            beforeSleep()
            if !sleep() { return nil }
        }
    }

    /// Pauses between two pieces of work. ``close(seconds:_:)`` ends the pause.
    package func pause(seconds: Double) { _ = closing.wait(seconds: seconds) }

    /// Sleeps until work comes. Returns `false` if the thread has slept for the longest allowed
    /// time.
    @usableFromInline
    func sleep() -> Bool {
        sleepers.sleep {
            state.withLock { state in
                guard state.sleepingThreadCount > 0 else { return false }
                state.sleepingThreadCount -= 1
                return true
            }
        }
    }
}
