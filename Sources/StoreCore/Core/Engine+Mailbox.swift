import Dispatch
import StorePlatform
import Synchronization

// The only entrance: all work of the Core passes through the mailbox.

extension Engine {
    /// Accepts an item of `count` actions and `keyCount` idempotency keys. If callers do the work
    /// and no thread is working, this thread processes the item. Otherwise the item is queued. If
    /// `wakes` is true, this call wakes a sleeping Core; otherwise the next ``wakeIfNeeded()``
    /// wakes the Core. Throws the errors of ``offer(_:wakes:)``.
    func accept(
        _ item: Mailbox.Item,
        _ lane: Mailbox.Lane,
        count: Int = 1,
        keyCount: Int = 0,
        wakes: Bool = true
    ) throws(MailboxError) {
        let admission = mailbox.withLock { mailbox in
            mailbox.admit(item, lane, count: count, keyCount: keyCount, wakes: wakes)
        }
        if admission == .drain {
            process(item)
            commit()
            drain()
        } else {
            try finishAdmission(admission, lane, count)
        }
    }

    /// Accepts an action without an envelope. If this thread processes the action at once, makes no
    /// item for it.
    private func accept(plain action: any Action) throws(MailboxError) {
        let admission = mailbox.withLock { mailbox in
            mailbox.admit(
                .action(QueuedAction(action)),
                .clients,
                count: 1,
                keyCount: 0,
                wakes: true
            )
        }
        if admission == .drain {
            processPlain(action)
            commit()
            drain()
        } else {
            try finishAdmission(admission, .clients, 1)
        }
    }

    /// Finishes ``accept(_:_:count:keyCount:wakes:)`` for an item that this thread does not
    /// process. Wakes the Core's thread, or throws if the mailbox did not take the item.
    private func finishAdmission(
        _ admission: Mailbox.Admission,
        _ lane: Mailbox.Lane,
        _ count: Int
    ) throws(MailboxError) {
        switch admission {
        case .queued, .drain: break
        case .wake: wakeUp()
        case .full, .closed:
            if lane != .tasks { mailboxRefusedCount.add(UInt64(count), ordering: .relaxed) }
            throw admission == .full ? .full : .closed
        }
    }

    /// Wakes the Core's thread if it sleeps while items wait.
    package func wakeIfNeeded() {
        let isSleeping = mailbox.withLock { mailbox -> Bool in
            guard mailbox.isSleeping, mailbox.items.count > 0 else { return false }
            mailbox.isSleeping = false
            return true
        }
        if isSleeping { wakeUp() }
    }

    /// Wakes the Core's thread, or submits a turn to the pool. Only the thread that found the Core
    /// asleep calls this function.
    func wakeUp() {
        if let pool { submitTurn(to: pool) } else { wakeSemaphore.signal() }
    }

    /// Accepts an action. Returns `false` if the mailbox did not accept the action.
    func dispatch(_ action: any Action) -> Bool {
        do {
            if hasShortPath {
                try accept(plain: action)
            } else {
                try accept(.envelope(envelope(of: action)), .clients)
            }
            return true
        } catch is MailboxError {
            return false
        } catch {
            let source = ActionSource(sourceLocation: "Core.dispatch")
            reportDropped(DroppedAction(type: "\(type(of: action))", source: source, reason: error))
            return false
        }
    }

    /// Accepts or refuses an envelope. A caller that offers several envelopes in a row passes
    /// `wakes: false` and calls ``wakeIfNeeded()`` at the end. Otherwise each envelope would wake
    /// the Core's thread, which would find only that envelope.
    ///
    /// - Throws: ``MailboxError/full`` at the mailbox's bound; ``MailboxError/closed`` after the
    ///   Core has stopped.
    package func offer(_ envelope: Envelope, wakes: Bool = true) throws(MailboxError) {
        try accept(
            .envelope(envelope),
            envelope.source == nil ? .clients : .program,
            count: envelope.members.count,
            keyCount: envelope.hasIdempotencyKey ? 1 : 0,
            wakes: wakes
        )
    }

    /// Runs a task of the Core itself, behind the waiting items.
    ///
    /// Returns `false`, without running the task, if the mailbox of a Core with a thread is closed.
    @discardableResult
    func enqueueTask(_ task: @escaping @Sendable (Engine) -> Void) -> Bool {
        do {
            try accept(.task(EngineTask(task)), .tasks)
            return true
        } catch {
            return false
        }
    }

    private func envelope(of action: any Action) throws -> Envelope {
        Envelope(members: [try member(of: action)], completion: UnawaitedCompletion())
    }

    /// Reduces an action without an envelope, on the short path if possible.
    private func processPlain(_ action: any Action) {
        guard watcherCounts.hasNoActionWatchers else {
            if let envelope = try? envelope(of: action) { process(envelope) }
            return
        }
        guard (try? stateOwner.changeStateOnShortPath(action)) != nil else { return }
        shortPathVersionCount &+= 1
    }

    /// Processes the queued items until the mailbox is empty.
    private func drain() {
        while true {
            let hasItems = mailbox.withLock { mailbox in
                mailbox.isDraining = mailbox.take(into: &takenItems, &takenKeyCount)
                return mailbox.isDraining
            }
            guard hasItems else { return }
            processTakenItems()
        }
    }

    func processTakenItems() {
        // Processing an item may access `takenItems`, so the loop has the items in a variable of
        // its own.
        var items = ContiguousArray<Mailbox.Item>()
        swap(&items, &takenItems)
        if takenKeyCount > 1 { lookUpKeys(of: items, in: items.indices) }
        // Uses indices: a loop over the items would copy each item.
        items.withUnsafeBufferPointer { items in
            for index in items.indices {
                process(items[index])
                if !isThreaded { commit() }
            }
        }
        commitAtTurnEnd()
        items.removeAll(keepingCapacity: true)
        swap(&items, &takenItems)
    }

    /// Processes one item.
    func process(_ item: Mailbox.Item) {
        switch item {
        case .action(let queued): processPlain(queued.action)
        case .envelope(let envelope):
            process(envelope)
            if batch.steps.count >= ports.batchActionsMax { commit() }
        case .task(let task):
            // Commits first, so that a task adds or removes an observer at a durable version.
            commit()
            task.run(self)
        }
    }
}

// A turn of the Core on a caller's thread: the caller's thread processes the items that wait in the
// mailbox. Few requests are answered sooner this way, without a switch to the Core's thread and
// back. Many requests are answered sooner if the two threads work at the same time.

extension Engine {
    /// The maximum number of items in a turn that a thread other than the Core's thread runs.
    static let claimedItemsMax = 2
    /// The longest allowed turn of another thread, in nanoseconds. After a longer turn, the Core's
    /// own thread runs the next ``ownTurnCountAfterLongTurn`` turns.
    static let claimedNanosecondsMax: UInt64 = 200_000
    static let ownTurnCountAfterLongTurn = 64

    /// Claims the turn for the calling thread if the Core sleeps and few items wait. The caller
    /// then has to call ``runClaimedTurn()``. Returns `false` otherwise, after waking the Core if
    /// the Core sleeps while items wait.
    package func claimTurn() -> Bool {
        guard lendsTurns else {
            wakeIfNeeded()
            return false
        }
        var wakes = false
        let isClaimed = mailbox.withLock { mailbox -> Bool in
            guard mailbox.isSleeping, mailbox.items.count > 0 else { return false }
            mailbox.isSleeping = false
            // While the Core sleeps, this thread may use the members of the working thread.
            guard mailbox.items.count <= Self.claimedItemsMax, remainingOwnTurnCount == 0 else {
                if remainingOwnTurnCount > 0 { remainingOwnTurnCount -= 1 }
                wakes = true
                return false
            }
            return mailbox.take(into: &takenItems, &takenKeyCount)
        }
        if wakes { wakeUp() }
        return isClaimed
    }

    /// Processes the items that the calling thread has claimed. Then lets the Core sleep again, or
    /// wakes the Core if more items have come.
    package func runClaimedTurn() {
        let began = SystemTime.steadyNanoseconds()
        processTakenItems()
        if SystemTime.steadyNanoseconds() - began > Self.claimedNanosecondsMax {
            remainingOwnTurnCount = Self.ownTurnCountAfterLongTurn
        }
        let isAwaited = mailbox.withLock { mailbox -> Bool in
            mailbox.isSleeping = mailbox.items.isEmpty && !mailbox.isClosed
            return !mailbox.isSleeping
        }
        if isAwaited { wakeUp() }
    }
}

// The Core's own thread.

extension Engine {
    /// Starts the Core's own thread, or submits the first turn to the pool.
    func start(named name: String = "core") {
        guard isThreaded else { return }
        if let pool { return submitTurn(to: pool) }
        SystemThread.start(name: name) { [self] in
            while true {
                switch takeNextItems() {
                case .work:
                    processTakenItems()
                    if isSlowToCommit { SystemThread.yield() }
                case .sleep: wakeSemaphore.wait()
                case .end:
                    endSemaphore.signal()
                    return
                }
            }
        }
    }

    /// Processes the waiting items on the calling thread, for a Core whose own thread was not
    /// started. Returns `true` if any item waited.
    func runTurn() -> Bool {
        let hasItems = mailbox.withLock { $0.take(into: &takenItems, &takenKeyCount) }
        if hasItems { processTakenItems() }
        return hasItems
    }

    /// Closes the mailbox. With a thread or a pool, returns after all queued items are processed.
    func stop() {
        let isSleeping = mailbox.withLock { mailbox -> Bool in
            mailbox.isClosed = true
            defer { mailbox.isSleeping = false }
            return mailbox.isSleeping
        }
        guard isThreaded else { return }
        if isSleeping { wakeUp() }
        endSemaphore.wait()
        endSemaphore.signal()
    }

    /// Takes the items that arrived during the last batch. If no item arrived, the Core sleeps from
    /// now on, or ends if the mailbox is closed.
    func takeNextItems() -> Mailbox.NextActivity {
        mailbox.withLock { mailbox in
            if mailbox.take(into: &takenItems, &takenKeyCount) { return .work }
            if mailbox.isClosed { return .end }
            mailbox.isSleeping = true
            return .sleep
        }
    }
}
