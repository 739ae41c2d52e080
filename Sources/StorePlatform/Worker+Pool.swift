import Synchronization

// A worker on a pool: it has a thread while there is work, for one turn at a time.

/// The turns of a worker on a pool.
struct WorkerTurns: Sendable {
    /// True if a turn has begun and no work was taken since. Work is then taken even if other tasks
    /// wait, so that the worker always makes progress.
    var isFresh = false
    /// The moment at which the last turn began, by ``SystemTime/steadyNanoseconds()``.
    var began: UInt64 = 0
}

extension Worker: PooledTask {
    package func takeTurn() {
        let now = SystemTime.steadyNanoseconds()
        let body = state.withLock { state -> Body? in
            state.turns.isFresh = true
            state.turns.began = now
            return state.body
        }
        body?(self)
        // If work is left, it gets another turn, behind the waiting tasks.
        if !leave(evenWithWork: false), let pool { submitTurn(to: pool) }
    }

    /// Submits a turn that is counted already.
    func submitTurn(to pool: ThreadPool) {
        // If the pool is closed, the waiting work stays in the queue.
        if !pool.submit(self) { _ = leave(evenWithWork: true) }
    }

    /// Takes work; `nil` if the turn is to end. Calls `beforeEnd` if the queue is empty.
    @usableFromInline
    func nextOfTurn(beforeEnd: () -> Void) -> Queue.Work? {
        let now = pool?.isAwaited == true ? SystemTime.steadyNanoseconds() : nil
        let (work, isIdle) = state.withLock { state -> (Queue.Work?, Bool) in
            let isFirst = state.turns.isFresh
            state.turns.isFresh = false
            guard !state.queue.isEmpty else { return (nil, true) }
            // Simultaneous turns share `began`, so each of them takes work only once.
            let isOver = now.map { now in
                threadsMax > 1 || now - state.turns.began >= ThreadPool.turnNanosecondsMax
            }
            return (isFirst || isOver != true ? state.queue.take() : nil, false)
        }
        if isIdle { beforeEnd() }
        return work
    }

    /// Takes a thread or a turn off the count. If work is left and `evenWithWork` is false, keeps
    /// the count and returns false.
    func leave(evenWithWork: Bool) -> Bool {
        let (leaves, isLast, body) = state.withLock { state -> (Bool, Bool, Body?) in
            guard evenWithWork || state.queue.isEmpty else { return (false, false, nil) }
            state.threads -= 1
            guard state.isClosed, state.threads == 0 else { return (true, false, nil) }
            defer { state.body = nil }
            return (true, true, state.body)
        }
        // Releases the objects of the body here, outside the lock.
        _ = body
        if isLast { ended.open() }
        return leaves
    }
}

/// The threads that do the work of a ``Worker``.
package enum WorkerThreads: Sendable {
    /// Threads that belong to the worker alone.
    ///
    /// - Parameters:
    ///   - niceness: the lowest nice value of the threads; `nil` leaves them the value of their
    ///     starter.
    ///   - idleSecondsMax: the longest sleep of a thread before it ends; the next work begins
    ///     another. `nil` sets no bound.
    case own(niceness: CInt? = nil, idleSecondsMax: Double? = nil)
    /// Threads of a pool, while there is work. The body is called anew for each turn.
    case pool(ThreadPool)
}
