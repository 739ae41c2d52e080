import Dispatch
import StorePlatform
import Synchronization

// The Core on a pool: a turn is submitted where the Core sleeps and something comes, and while it
// waits or runs there is no other. The mailbox is taken whole, which costs the same however much it
// holds, and worked off by portions.

extension Engine: PooledTask {
    /// The most items whose idempotency keys are looked up together, and that one commit follows.
    /// The turn may end between two of them.
    static let portionItemsMax = 1_024

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
    /// them: they wait for as long as a turn may last, for one item, and for a commit.
    func takeTurn() {
        let began = SystemTime.steadyNanoseconds()
        while true {
            switch next() {
            case .work: workPortion(since: began)
            case .sleep: return
            case .end:
                ended.signal()
                return
            }
            if let pool, pool.isTurnOver(since: began), pool.submit(self) { return }
            if isSlowToCommit, taken.isEmpty { SystemThread.giveWay() }
        }
    }

    /// Works off a portion of what was taken, or the rest of one, and commits. Where others wait,
    /// it ends between two items when the turn is over.
    private func workPortion(since began: UInt64) {
        // Taken out of the engine while it is read, as `workTaken` does.
        var items = ContiguousArray<Mailbox.Item>()
        swap(&items, &taken)
        if workedCount == portionEnd {
            portionEnd = min(items.count, workedCount + Self.portionItemsMax)
            if takenKeys > 1 { lookUpKeys(of: items, in: workedCount..<portionEnd) }
        }
        repeat {
            work(items[workedCount])
            workedCount += 1
        } while workedCount < portionEnd && pool?.isTurnOver(since: began) != true
        // In the midst of a portion what was looked up holds on: no other turn comes between.
        let isWhole = workedCount == portionEnd
        if isWhole, takenKeys > 1 { lookedUp.isEnding = true }
        commit()
        if isWhole, takenKeys > 1 { lookedUp.forget() }
        if workedCount == items.count {
            items.removeAll(keepingCapacity: true)
            (workedCount, portionEnd) = (0, 0)
        }
        swap(&items, &taken)
    }

    private func next() -> Next {
        if taken.count > 0 { return .work }
        return mailbox.withLock { mailbox in
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
