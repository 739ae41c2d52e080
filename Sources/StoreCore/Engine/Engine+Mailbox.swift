import Dispatch
import StorePlatform
import Synchronization

// The one way in: whatever the Core is to do passes the mailbox.

extension Engine {
    /// Takes an item of `count` actions and `keys` idempotency keys, and works it off where no
    /// other thread is at work. The Core's thread is woken for it, or by the next ``nudge()``.
    ///
    /// - Throws: ``MailboxError/full`` at the mailbox's bound; ``MailboxError/closed`` once the
    ///   Core stops.
    func enter(
        _ item: Mailbox.Item,
        _ lane: Mailbox.Lane,
        count: Int = 1,
        keys: Int = 0,
        wakes: Bool = true
    ) throws(MailboxError) {
        let admission = mailbox.withLock { mailbox in
            mailbox.admit(item, lane, count: count, keys: keys, wakes: wakes)
        }
        if admission == .drain {
            work(item)
            commit()
            drain()
        } else {
            try wake(for: admission, lane, count)
        }
    }

    /// The same for an action that has nothing besides: no item is made where it is worked off at
    /// once.
    private func enter(plain action: any Action) throws(MailboxError) {
        let admission = mailbox.withLock { mailbox in
            mailbox.admit(.action(action), .clients, count: 1, keys: 0, wakes: true)
        }
        if admission == .drain {
            apply(action)
            commit()
            drain()
        } else {
            try wake(for: admission, .clients, 1)
        }
    }

    /// Ends ``enter(_:_:count:wakes:)`` where this thread does not work the item: wakes the Core's
    /// thread, or throws because the mailbox did not take the item.
    private func wake(
        for admission: Mailbox.Admission,
        _ lane: Mailbox.Lane,
        _ count: Int
    ) throws(MailboxError) {
        switch admission {
        case .queued, .drain: break
        case .wake: wakeUp()
        case .full, .closed:
            if lane != .tasks { refused.add(UInt64(count), ordering: .relaxed) }
            throw admission == .full ? .full : .closed
        }
    }

    /// Wakes the Core's thread if it sleeps although something waits.
    func nudge() {
        let isSleeping = mailbox.withLock { mailbox -> Bool in
            guard mailbox.isSleeping, mailbox.items.count > 0 else { return false }
            mailbox.isSleeping = false
            return true
        }
        if isSleeping { wakeUp() }
    }

    /// Wakes the Core's thread, or has the pool begin a turn. Called by the one thread that found
    /// the Core asleep.
    private func wakeUp() {
        if let pool { submitTurn(to: pool) } else { wake.signal() }
    }

    /// Takes an action. Returns `false` where it is not taken.
    func dispatch(_ action: any Action) -> Bool {
        do {
            if isPlain {
                try enter(plain: action)
            } else {
                try enter(.envelope(envelope(of: action)), .clients)
            }
            return true
        } catch is MailboxError {
            return false
        } catch {
            let source = ActionSource(cause: nil, place: "Core.dispatch")
            drop(DroppedAction(type: "\(type(of: action))", source: source, reason: error))
            return false
        }
    }

    /// Takes an envelope, or throws the reason.
    func offer(_ envelope: Envelope, wakes: Bool = true) throws(MailboxError) {
        try enter(
            .envelope(envelope),
            envelope.source == nil ? .clients : .own,
            count: envelope.members.count,
            keys: envelope.hasKey ? 1 : 0,
            wakes: wakes
        )
    }

    /// Runs a change of the Core's own at its place in the order.
    ///
    /// Returns `false`, and does not run it, once the Core's thread has ended.
    @discardableResult
    func perform(_ task: @escaping @Sendable (Engine) -> Void) -> Bool {
        do {
            try enter(.task(EngineTask(task)), .tasks)
            return true
        } catch {
            return false
        }
    }

    private func envelope(of action: any Action) throws -> Envelope {
        Envelope(members: [try member(of: action)], completion: IgnoredOutcome())
    }

    /// Reduces an action that comes alone, the short way where that is possible.
    private func apply(_ action: any Action) {
        guard counts.isDirect else {
            if let envelope = try? envelope(of: action) { run(envelope) }
            return
        }
        guard (try? owner.applyPlain(action)) != nil else { return }
        plainVersions &+= 1
    }

    /// Works off what has been queued, until there is nothing more.
    private func drain() {
        while true {
            let isDone = mailbox.withLock { mailbox -> Bool in
                guard mailbox.items.count > 0 else {
                    mailbox.isDraining = false
                    return true
                }
                takenKeys = mailbox.take(into: &taken)
                return false
            }
            if isDone { return }
            workTaken()
        }
    }

    func workTaken() {
        // Taken out of the engine while it is read: what is worked on may come back here.
        var items = ContiguousArray<Mailbox.Item>()
        swap(&items, &taken)
        if takenKeys > 1 { lookUpKeys(of: items, in: items.indices) }
        // By their places: a loop over the items would copy each.
        items.withUnsafeBufferPointer { items in
            for index in items.indices {
                work(items[index])
                if !isThreaded { commit() }
            }
        }
        if takenKeys > 1 { lookedUp.isEnding = true }
        commit()
        if takenKeys > 1 { lookedUp.forget() }
        items.removeAll(keepingCapacity: true)
        swap(&items, &taken)
    }

    /// Works one item into the batch.
    func work(_ item: Mailbox.Item) {
        switch item {
        case .action(let action): apply(action)
        case .envelope(let envelope):
            run(envelope)
            if batch.steps.count >= ports.batchMax { commit() }
        case .task(let task):
            // An observer joins or leaves at a point that is durable.
            commit()
            task.run(self)
        }
    }
}

// The Core's own thread.

extension Engine {
    /// What there is to do for the Core's own thread.
    private enum Next {
        case work, sleep, end
    }

    /// Starts the Core's own thread, or has the pool begin with what waits.
    func start(named name: String = "core") {
        guard isThreaded else { return }
        if let pool { return submitTurn(to: pool) }
        SystemThread.start(name: name) { [self] in
            while next() {
                workTaken()
                if isSlowToCommit { SystemThread.giveWay() }
            }
            ended.signal()
        }
    }

    /// Works off what waits, in the place of the Core's own thread, which was not started. Returns
    /// whether there was anything.
    func turn() -> Bool {
        let isEmpty = mailbox.withLock { mailbox -> Bool in
            guard mailbox.items.count > 0 else { return true }
            takenKeys = mailbox.take(into: &taken)
            return false
        }
        if !isEmpty { workTaken() }
        return !isEmpty
    }

    /// Takes nothing more, and returns when all that was taken is worked off.
    func stop() {
        let isSleeping = mailbox.withLock { mailbox -> Bool in
            mailbox.isClosed = true
            defer { mailbox.isSleeping = false }
            return mailbox.isSleeping
        }
        guard isThreaded else { return }
        if isSleeping { wakeUp() }
        ended.wait()
        ended.signal()
    }

    /// Takes what has arrived while the last batch was worked on; sleeps while there is nothing.
    ///
    /// Returns `false` once the mailbox is closed and empty.
    private func next() -> Bool {
        while true {
            let next = mailbox.withLock { mailbox -> Next in
                if mailbox.items.count > 0 {
                    takenKeys = mailbox.take(into: &taken)
                    return .work
                }
                if mailbox.isClosed { return .end }
                mailbox.isSleeping = true
                return .sleep
            }
            switch next {
            case .work: return true
            case .sleep: wake.wait()
            case .end: return false
            }
        }
    }
}
