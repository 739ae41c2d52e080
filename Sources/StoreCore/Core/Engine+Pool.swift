import Dispatch
import StorePlatform

// The Core on a pool. A turn is one run of the Core on a thread of the pool. A turn takes all items
// of the mailbox, at a constant cost, and processes them in portions. If an item arrives while the
// Core sleeps, the Core submits a turn to the pool. A Core has at most one turn at a time.

extension Engine: PooledTask {
    /// The maximum number of items in a portion. The idempotency keys of a portion are looked up
    /// together, and a commit follows each portion. The turn may end between two items.
    static let portionItemsMax = 1_024

    /// Submits a turn to the pool. If the pool is closed, the calling thread runs the turn, so that
    /// ``stop()`` still processes all queued items.
    func submitTurn(to pool: ThreadPool) {
        if !pool.submit(self) { takeTurn() }
    }

    /// Processes the waiting items. If other Cores wait when the turn's time is over, ends this
    /// turn. The next turn is submitted behind the turns of the other Cores. Another Core therefore
    /// waits at most for the time of a turn, plus one item and a commit.
    func takeTurn() {
        let began = SystemTime.steadyNanoseconds()
        while true {
            switch takenItems.isEmpty ? takeNextItems() : .work {
            case .work: processPortion(since: began)
            case .sleep: return
            case .end:
                endSemaphore.signal()
                return
            }
            if let pool, pool.isTurnOver(since: began), pool.submit(self) { return }
            if isSlowToCommit, takenItems.isEmpty { SystemThread.yield() }
        }
    }

    /// Processes a portion of the taken items, or the rest of an interrupted portion, and commits.
    /// If other Cores wait when the turn's time is over, interrupts the portion between two items.
    private func processPortion(since began: UInt64) {
        // Processing an item may access `takenItems`, so the loop has the items in a variable of
        // its own.
        var items = ContiguousArray<Mailbox.Item>()
        swap(&items, &takenItems)
        if processedItemCount == portionEndIndex {
            portionEndIndex = min(items.count, processedItemCount + Self.portionItemsMax)
            if takenKeyCount > 1 { lookUpKeys(of: items, in: processedItemCount..<portionEndIndex) }
        }
        repeat {
            process(items[processedItemCount])
            processedItemCount += 1
        } while processedItemCount < portionEndIndex && pool?.isTurnOver(since: began) != true
        // An interrupted portion keeps its looked-up keys for the next turn. The keys stay valid:
        // this Core runs no other turn until then.
        if processedItemCount == portionEndIndex { commitAtTurnEnd() } else { commit() }
        if processedItemCount == items.count {
            items.removeAll(keepingCapacity: true)
            (processedItemCount, portionEndIndex) = (0, 0)
        }
        swap(&items, &takenItems)
    }
}
