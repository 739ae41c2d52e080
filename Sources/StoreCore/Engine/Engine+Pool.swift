import Dispatch
import Platform
import Synchronization

// The Core on a pool: a turn is submitted where the Core sleeps and something comes, and while it
// waits or runs there is no other.

extension Engine: PooledTask {
    /// What there is to do in a turn.
    private enum Next {
        case work, sleep, end
    }

    /// Has the pool run a turn. Where the pool is closed the calling thread runs it, so that
    /// ``stop()`` keeps its word.
    func submitTurn(to pool: ThreadPool) {
        if !pool.submit(self) { takeTurn() }
    }

    /// Works off what waits. Where others wait and the turn is over, another one follows behind
    /// them.
    func takeTurn() {
        let began = SystemTime.steadyNanoseconds()
        while true {
            switch next() {
            case .work: workTaken()
            case .sleep: return
            case .end:
                ended.signal()
                return
            }
            if let pool, pool.isTurnOver(since: began), pool.submit(self) { return }
            if isSlowToCommit { SystemThread.giveWay() }
        }
    }

    private func next() -> Next {
        mailbox.withLock { mailbox in
            if mailbox.items.count > 0 {
                takenKeys = mailbox.take(into: &taken)
                return .work
            }
            if mailbox.isClosed { return .end }
            mailbox.isSleeping = true
            return .sleep
        }
    }
}
