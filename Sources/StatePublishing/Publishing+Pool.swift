import Platform
import Synchronization

// Publishing on a pool: a turn is submitted where something comes and there is none.

/// What lies between two turns on a pool, of which each may be on another thread.
struct PublishingTurns<State: Sendable>: Sendable {
    /// What is done in a turn; `nil` while there is none, for it may keep the owner.
    var work: Publishing<State>.Work?
    /// How many seconds the stream writer had worked by the end of the last turn.
    var sendingSeconds: Double?
}

extension Publishing: PooledTask {
    /// Has the pool run a turn. Once the pool is closed nothing is published any more.
    func submitTurn(to pool: ThreadPool) {
        if pool.submit(self) { return }
        queue.withLock { queue in
            queue.isClosed = true
            queue.turns.work = nil
        }
    }

    /// Publishes what waits. Where others wait and the turn is over, another one follows behind
    /// them.
    func takeTurn() {
        let began = SystemTime.steadyNanoseconds()
        let (work, last) = queue.withLock { ($0.turns.work, $0.turns.sendingSeconds) }
        guard let work else { return }
        var before = last ?? sending()
        while let (items, sent) = next(&before) {
            workOff(items, after: sent, work, &before)
            guard let pool, pool.isTurnOver(since: began) else { continue }
            queue.withLock { [before] in $0.turns.sendingSeconds = before }
            return submitTurn(to: pool)
        }
    }

    /// Takes what waits, with the newest version that readers were sent; `nil` where the turn ends.
    private func next(
        _ before: inout Double
    ) -> (items: [PublishingQueue<State>.Item], sent: UInt64?)? {
        queue.withLock { [before] queue in
            let items = queue.take()
            guard items.isEmpty else { return (items, queue.sent) }
            // Behind this lock the next turn may begin, on another thread.
            lags.store(false, ordering: .relaxed)
            queue.turns = PublishingTurns(sendingSeconds: before)
            queue.isAwake = false
            return nil
        }
    }
}
