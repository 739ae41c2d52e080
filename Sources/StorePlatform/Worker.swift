#if !THREAD_SANITIZER
    public import Synchronization
#endif

/// A worker thread, or a few, that work off a bounded queue. The threads are the worker's own, or
/// those of a pool (``WorkerThreads``).
///
/// Other threads change the queue by ``post(_:)`` and never wait for the work. A post makes a
/// system call only where work comes and a thread sleeps: a thread that is awake looks at the queue
/// again before it sleeps.
///
/// For threads that sleep here and nowhere else; those that sleep in `epoll_wait` have loops of
/// their own.
///
/// It is public so that its calls are specialised for each queue: code of a package's other modules
/// is not inlined where it is `package`.
public final class Worker<Queue: WorkQueue>: Sendable {
    /// When the first thread begins.
    package enum Start: Sendable {
        case atOnce, withFirstWork
    }

    /// What a thread does: it takes work by ``next(beforeSleep:)`` until that is `nil`.
    public typealias Body = @Sendable (Worker<Queue>) -> Void

    @usableFromInline
    struct State: Sendable {
        @usableFromInline var queue: Queue
        /// How many threads there are, those that are about to begin among them; on a pool, how
        /// many turns run there or wait.
        @usableFromInline var threads = 0
        /// How many of them sleep and have not been woken.
        @usableFromInline var asleep = 0
        @usableFromInline var isClosed = false
        @usableFromInline var body: Body?
        /// Used by a worker on a pool only.
        var turns = WorkerTurns()

        init(queue: Queue) {
            self.queue = queue
        }

        /// Chooses a thread for what waits; none where all are awake and no more may begin.
        @inlinable
        mutating func wakeup(threadsMax: Int) -> Wakeup {
            guard !queue.isEmpty else { return .none }
            if asleep > 0 {
                asleep -= 1
                return .wake
            }
            guard let body, threads < threadsMax else { return .none }
            threads += 1
            return .begin(body)
        }
    }

    /// What has a thread take the work.
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
    let ended = Latch()

    /// Makes a worker without a thread. Of the name of its own threads, at most 15 bytes show in
    /// `top -H` and debuggers.
    ///
    /// Beyond the first, a thread begins where work comes and no thread sleeps, up to `threadsMax`.
    /// One thread keeps the order of the works, on a pool, too.
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

    /// Lets threads begin. Called once; what is posted before waits.
    ///
    /// The body is kept until ``close(seconds:_:)``. It is given the worker, so that it need not
    /// keep the worker's owner.
    package func start(_ start: Start = .atOnce, _ body: @escaping Body) {
        let wakeup = state.withLock { state -> Wakeup in
            guard !state.isClosed else { return .none }
            state.body = body
            guard start == .atOnce || !state.queue.isEmpty else { return .none }
            state.threads += 1
            return .begin(body)
        }
        perform(wakeup)
    }

    /// Changes the queue, and wakes a thread, or begins one, where there is work. Any thread; never
    /// waits for the work.
    ///
    /// - Returns: what `change` returns; `nil` once the worker is closed, and then the queue stays
    ///   as it is.
    @inlinable
    @discardableResult
    public func post<Result: Sendable>(_ change: (inout Queue) -> Result) -> Result? {
        let (result, wakeup) = state.withLock { state -> (Result?, Wakeup) in
            guard !state.isClosed else { return (nil, .none) }
            let result = change(&state.queue)
            return (result, state.wakeup(threadsMax: threadsMax))
        }
        perform(wakeup)
        return result
    }

    /// Reads or changes the queue where that makes no work. Any thread, also once it is closed.
    @inlinable
    public func withQueue<Result: Sendable>(_ body: (inout Queue) -> Result) -> Result {
        state.withLock { body(&$0.queue) }
    }

    /// Reads or changes the queue where the worker rests: nothing waits, and no thread works, has
    /// been woken or is about to begin. Any thread.
    ///
    /// A caller that stands in for the worker has the queue be empty meanwhile, whatever comes, and
    /// ends that by ``post(_:)``.
    ///
    /// - Returns: what `body` returns; `nil` where the worker does not rest, or is closed.
    @inlinable
    public func withRestingQueue<Result: Sendable>(_ body: (inout Queue) -> Result?) -> Result? {
        state.withLock { state in
            guard !state.isClosed, state.asleep == state.threads, state.queue.isEmpty else {
                return nil
            }
            return body(&state.queue)
        }
    }

    /// Ends the threads when nothing waits any more, and takes nothing more. The change drops what
    /// is not to be worked off.
    ///
    /// A second call waits again.
    ///
    /// - Returns: whether all threads have ended before the seconds were over.
    package func close(seconds: Double, _ change: (inout Queue) -> Void = { _ in }) -> Bool {
        let (asleep, isOver, body) = state.withLock { state -> (Int, Bool, Body?) in
            guard !state.isClosed else { return (0, false, nil) }
            state.isClosed = true
            change(&state.queue)
            defer {
                state.asleep = 0
                // The turns that wait in a pool have no copy of it.
                if pool == nil || state.threads == 0 { state.body = nil }
            }
            return (state.asleep, state.threads == 0, state.body)
        }
        // What the body keeps is released here, where the lock is not held.
        _ = body
        closing.open()
        if isOver { ended.open() }
        sleepers.wake(asleep)
        return ended.wait(seconds: seconds)
    }

    @inlinable
    func perform(_ wakeup: Wakeup) {
        switch wakeup {
        case .none: break
        case .wake: sleepers.wake()
        case .begin(let body): begin(body)
        }
    }

    @usableFromInline
    func begin(_ body: @escaping Body) {
        if let pool { return submitTurn(to: pool) }
        SystemThread.start(name: name, niceness: niceness) { [self] in
            repeat { body(self) } while !leave()
        }
    }
}

// What the threads call.

extension Worker {
    /// Waits for work and takes it; `nil` where the thread is to end. `beforeSleep` is called where
    /// nothing waits.
    ///
    /// On a pool it never waits: `nil` ends the turn, where nothing waits for the worker, and where
    /// others wait for the pool's thread. More work begins another turn.
    @inlinable
    public func next(beforeSleep: () -> Void = {}) -> Queue.Work? {
        if isPooled { return nextOfTurn(beforeEnd: beforeSleep) }
        while true {
            let (work, isOver) = state.withLock { state -> (Queue.Work?, Bool) in
                if !state.queue.isEmpty { return (state.queue.take(), false) }
                if !state.isClosed { state.asleep += 1 }
                return (nil, state.isClosed)
            }
            if isOver || work != nil { return work }
            beforeSleep()
            if !sleep() { return nil }
        }
    }

    /// Pauses between two works. ``close(seconds:_:)`` ends the pause.
    package func pause(seconds: Double) {
        _ = closing.wait(seconds: seconds)
    }

    /// Sleeps until work comes; returns `false` where none came for long enough.
    @usableFromInline
    func sleep() -> Bool {
        sleepers.sleep {
            state.withLock { state in
                guard state.asleep > 0 else { return false }
                state.asleep -= 1
                return true
            }
        }
    }

    /// Lets a thread end, unless work has come meanwhile.
    private func leave() -> Bool {
        let (leaves, isLast) = state.withLock { state -> (Bool, Bool) in
            guard state.queue.isEmpty else { return (false, false) }
            state.threads -= 1
            return (true, state.isClosed && state.threads == 0)
        }
        if isLast { ended.open() }
        return leaves
    }
}
