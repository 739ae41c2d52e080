import Synchronization

// A worker on a pool: it has a thread while there is work, and for one turn at a time.

/// The turns of a worker on a pool.
struct WorkerTurns: Sendable {
    /// Whether a turn has begun and no work was taken since: one is taken then, however many others
    /// wait, so that the worker always goes on.
    var isFresh = false
    /// When the last turn began, by ``SystemTime/steadyNanoseconds()``.
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
        endTurn()
    }

    /// Has the pool run the turn that was counted.
    func submitTurn(to pool: ThreadPool) {
        // Once the pool is closed, what waits stays where it is.
        if !pool.submit(self) { _ = leave(evenWithWork: true) }
    }

    /// Takes work; `nil` where the turn is to end. `beforeEnd` is called where nothing waits for
    /// the worker.
    @usableFromInline
    func nextOfTurn(beforeEnd: () -> Void) -> Queue.Work? {
        let now = pool?.isAwaited == true ? SystemTime.steadyNanoseconds() : nil
        let (work, isIdle) = state.withLock { state -> (Queue.Work?, Bool) in
            let isFirst = state.turns.isFresh
            state.turns.isFresh = false
            guard !state.queue.isEmpty else { return (nil, true) }
            // Turns that run at the same time have one work each, for they share `began`.
            let isOver = now.map { now in
                threadsMax > 1 || now - state.turns.began >= ThreadPool.turnNanosecondsMax
            }
            return (isFirst || isOver != true ? state.queue.take() : nil, false)
        }
        if isIdle { beforeEnd() }
        return work
    }

    /// Ends a turn; where there is more to do, another one follows behind those that wait.
    private func endTurn() {
        if !leave(evenWithWork: false), let pool { submitTurn(to: pool) }
    }

    /// Takes a turn off the count, unless it is to be followed by another one.
    private func leave(evenWithWork: Bool) -> Bool {
        let (leaves, isLast, body) = state.withLock { state -> (Bool, Bool, Body?) in
            guard evenWithWork || state.queue.isEmpty else { return (false, false, nil) }
            state.threads -= 1
            guard state.isClosed, state.threads == 0 else { return (true, false, nil) }
            defer { state.body = nil }
            return (true, true, state.body)
        }
        // What the body keeps is released here, where the lock is not held.
        _ = body
        if isLast { ended.open() }
        return leaves
    }
}
