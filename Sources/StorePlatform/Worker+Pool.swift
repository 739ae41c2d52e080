import Synchronization

// A worker on a pool has no threads of its own. While the worker has work, threads of the pool run
// the worker's turns.

/// The turns of a worker on a pool.
struct WorkerTurns: Sendable {
    /// True if a turn has begun and no work was taken since. Work is then taken even if other tasks
    /// wait, so that the worker always makes progress.
    var hasTakenNoWork = false
    /// The moment at which the last turn began, by ``SystemTime/steadyNanoseconds()``.
    var lastTurnStartNanoseconds: UInt64 = 0
}

extension Worker: PooledTask {
    package func takeTurn() {
        let now = SystemTime.steadyNanoseconds()
        let body = state.withLock { state -> Body? in
            state.turns.hasTakenNoWork = true
            state.turns.lastTurnStartNanoseconds = now
            return state.body
        }
        body?(self)
        // If work is left, the worker gets another turn, after the tasks that wait already.
        if !retireThread(evenWithWork: false), let pool { submitTurn(to: pool) }
    }

    /// Submits a turn to the pool. The turn is counted in `threadCount` already.
    func submitTurn(to pool: ThreadPool) {
        // If the pool is closed, the waiting work stays in the queue.
        if !pool.submit(self) { _ = retireThread(evenWithWork: true) }
    }

    /// Takes work from the queue. Returns `nil` if the turn is to end. Calls `beforeEnd` if the
    /// queue is empty.
    @usableFromInline
    func takeWorkInTurn(beforeEnd: () -> Void) -> Queue.Work? {
        let now = pool?.hasWaitingTasks == true ? SystemTime.steadyNanoseconds() : nil
        let (work, isIdle) = state.withLock { state -> (Queue.Work?, Bool) in
            let isFirst = state.turns.hasTakenNoWork
            state.turns.hasTakenNoWork = false
            guard !state.queue.isEmpty else { return (nil, true) }
            // Simultaneous turns share `lastTurnStartNanoseconds`, so the length of a single turn
            // is unknown. So each of these turns takes work only once while other tasks wait.
            let isOver = now.map { now in
                threadsMax > 1
                    || now - state.turns.lastTurnStartNanoseconds >= ThreadPool.turnNanosecondsMax
            }
            return (isFirst || isOver != true ? state.queue.take() : nil, false)
        }
        if isIdle { beforeEnd() }
        return work
    }

    /// Takes a thread or a turn off the count, and returns true. If work is left and `evenWithWork`
    /// is false, leaves the count unchanged and returns false.
    func retireThread(evenWithWork: Bool) -> Bool {
        let (leaves, isLast, body) = state.withLock { state -> (Bool, Bool, Body?) in
            guard evenWithWork || state.queue.isEmpty else { return (false, false, nil) }
            state.threadCount -= 1
            guard state.isClosed, state.threadCount == 0 else { return (true, false, nil) }
            defer { state.body = nil }
            return (true, true, state.body)
        }
        // The objects that the body has captured are released here, outside the lock.
        _ = body
        if isLast { threadsEnded.open() }
        return leaves
    }
}

/// The threads that do the work of a ``Worker``.
package enum WorkerThreads: Sendable {
    /// Threads that belong to the worker alone.
    ///
    /// - Parameters:
    ///   - niceness: the lowest nice value of the threads; `nil` leaves the threads the value of
    ///     the thread that starts them.
    ///   - idleSecondsMax: the time of sleep after which a thread ends. Later work begins another
    ///     thread. `nil` sets no bound.
    case own(niceness: CInt? = nil, idleSecondsMax: Double? = nil)
    /// Threads of a pool, only while the worker has work. A thread of the pool calls the body once
    /// for each turn of the worker.
    case pool(ThreadPool)
}
