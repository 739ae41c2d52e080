import Dispatch
import Locks
import Synchronization

/// The working half of a Core: a mailbox in front, and behind it the state, which only the one who
/// drains the mailbox touches.
final class Engine<State: Sendable>: @unchecked Sendable {
    // Safety: everything below `mailbox` belongs to whoever set `isDraining` (or to the Core's own
    // thread), and passes from one to the next under the mailbox's lock.

    let configuration: CoreConfiguration<State>
    private let mailbox = Locked(Mailbox())
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let refused = Atomic<UInt64>(0)
    let unheard = Atomic<UInt64>(0)
    private let isThreaded: Bool
    /// Whether an action can go straight through: nothing to append, encode or compare.
    let isPlain: Bool

    /// Whether a commit waits for a disk, so that it pays to let a batch grow first: whoever fills the
    /// mailbox on the same core goes on before the next batch is taken.
    private let isSlowToCommit: Bool

    /// Whether a batch may have to be forgotten after its actions were reduced.
    let canRollBack: Bool

    let form: ReducerForm<State>
    var state: State
    var version: UInt64
    var observers: ContiguousArray<Subscription<(State) -> Void>> = []
    var middleware: ContiguousArray<Subscription<Middleware<State>>> = []
    var interceptors: ContiguousArray<Subscription<Interceptor<State>>> = []
    var reactions: ContiguousArray<Subscription<ReactionRun<State>>> = []
    var batch: Batch<State>
    /// Who waits for what presenters and reactions dispatch at this moment.
    var settling: EffectWatch?
    /// Set by a failure whose outcome is unknown: nothing is applied any more.
    var hasFailed = false

    init(state: State, form: ReducerForm<State>, configuration: CoreConfiguration<State>) {
        self.state = state
        self.form = form
        self.configuration = configuration
        isThreaded = configuration.driver == .thread
        isPlain =
            configuration.journal == nil && configuration.sink == nil
            && configuration.effects == nil
        isSlowToCommit = configuration.journal?.canFail == true
        canRollBack = configuration.journal?.canFail == true || configuration.sink != nil
        version = configuration.journal?.version ?? 0
        batch = Batch(startingAt: version)
    }

    // Asked for each action, so by `count`: `isEmpty` would look the arrays' types up at run time.
    var hasMiddleware: Bool { middleware.count > 0 }
    var isObserved: Bool { observers.count > 0 }
    var isIntercepted: Bool { interceptors.count + reactions.count > 0 }

    var refusedTotal: UInt64 { refused.load(ordering: .relaxed) }
    var unheardTotal: UInt64 { unheard.load(ordering: .relaxed) }
}

/// What there is to do for someone who came to the mailbox.
private enum Way {
    case drain, queued, wake, full, closed
}

/// What there is to do for the Core's own thread.
private enum Next {
    case work([Mailbox.Item]), sleep, end
}

extension Engine {
    /// Takes an action, and works it off where nobody else is at work.
    func dispatch(_ action: any Action) -> Bool {
        let way = mailbox.withLock { mailbox -> Way in
            if mailbox.isClosed { return .closed }
            if !mailbox.isDraining, !isThreaded {
                mailbox.isDraining = true
                return .drain
            }
            guard mailbox.actions < configuration.mailboxMax else { return .full }
            mailbox.actions += 1
            mailbox.items.append(.action(action))
            defer { mailbox.isSleeping = false }
            return mailbox.isSleeping ? .wake : .queued
        }
        switch way {
        case .drain:
            if isPlain { apply(action) } else { work([.action(action)]) }
            drain()
        case .wake: wake.signal()
        case .queued: break
        case .full, .closed:
            refused.add(1, ordering: .relaxed)
            return false
        }
        return true
    }

    /// Takes an action whose dispatcher waits; the short way, for an engine that is plain.
    func enqueue(
        _ action: any Action,
        _ continuation: CheckedContinuation<Dispatched<State>, any Error>
    ) {
        let way = mailbox.withLock { mailbox -> Way in
            if mailbox.isClosed { return .closed }
            if !mailbox.isDraining, !isThreaded {
                mailbox.isDraining = true
                return .drain
            }
            guard mailbox.actions < configuration.mailboxMax else { return .full }
            mailbox.actions += 1
            mailbox.items.append(.awaited(action, EngineContinuation(continuation)))
            defer { mailbox.isSleeping = false }
            return mailbox.isSleeping ? .wake : .queued
        }
        switch way {
        case .drain:
            apply(action, reportingTo: continuation)
            drain()
        case .full, .closed:
            refused.add(1, ordering: .relaxed)
            continuation.resume(throwing: way == .full ? MailboxError.full : MailboxError.closed)
        case .wake: wake.signal()
        case .queued: break
        }
    }

    /// Takes an envelope, or says why not.
    ///
    /// - Parameters:
    ///   - wakes: whether the Core's thread is woken for it; if not, by the next ``nudge()``.
    ///   - isOwn: whether the Core's own parts dispatch it, which the bound is not for.
    func offer(
        _ envelope: Envelope<State>,
        wakes: Bool = true,
        isOwn: Bool = false
    ) throws(MailboxError) {
        let count = envelope.members.count
        let way = mailbox.withLock { mailbox -> Way in
            if mailbox.isClosed { return .closed }
            // An array that is larger than the bound itself is taken by an empty mailbox.
            guard
                isOwn || mailbox.actions + count <= configuration.mailboxMax || mailbox.actions == 0
            else { return .full }
            if !mailbox.isDraining, !isThreaded {
                mailbox.isDraining = true
                return .drain
            }
            mailbox.actions += count
            mailbox.items.append(.envelope(envelope))
            guard wakes else { return .queued }
            defer { mailbox.isSleeping = false }
            return mailbox.isSleeping ? .wake : .queued
        }
        switch way {
        case .drain:
            work([.envelope(envelope)])
            drain()
        case .wake: wake.signal()
        case .queued: break
        case .full, .closed:
            refused.add(UInt64(count), ordering: .relaxed)
            throw way == .full ? .full : .closed
        }
    }

    /// Wakes the Core's thread if it sleeps although something waits.
    func nudge() {
        let sleeping = mailbox.withLock { mailbox -> Bool in
            guard mailbox.isSleeping, !mailbox.items.isEmpty else { return false }
            mailbox.isSleeping = false
            return true
        }
        if sleeping { wake.signal() }
    }

    /// Runs a change of the Core's own at its place in the order.
    /// Answers `false`, and does not run it, once the Core's thread has ended.
    @discardableResult
    func perform(_ task: @escaping @Sendable (Engine<State>) -> Void) -> Bool {
        let way = mailbox.withLock { mailbox -> Way in
            if mailbox.isClosed, isThreaded { return .closed }
            if !mailbox.isDraining, !isThreaded {
                mailbox.isDraining = true
                return .drain
            }
            mailbox.items.append(.task(EngineTask(task)))
            defer { mailbox.isSleeping = false }
            return mailbox.isSleeping ? .wake : .queued
        }
        switch way {
        case .drain:
            task(self)
            drain()
        case .wake: wake.signal()
        case .queued: break
        case .full, .closed: return false
        }
        return true
    }

    /// Works off what has been queued, until there is nothing more.
    private func drain() {
        while true {
            let items = mailbox.withLock { mailbox -> [Mailbox.Item]? in
                guard !mailbox.items.isEmpty else {
                    mailbox.isDraining = false
                    return nil
                }
                return mailbox.take()
            }
            guard let items else { return }
            work(items)
        }
    }

    private func work(_ items: [Mailbox.Item]) {
        for item in items {
            if isPlain, case .action(let action) = item { apply(action) } else { run(item) }
            if !isThreaded { commit() }
        }
        commit()
    }
}

extension Engine {
    /// Starts the Core's own thread.
    func start(named name: String = "core") {
        guard isThreaded else { return }
        SystemThread.start(name: name) { [self] in
            while let items = next() {
                work(items)
                if isSlowToCommit { SystemThread.giveWay() }
            }
            ended.signal()
        }
    }

    /// Takes nothing more, and returns when all that was taken is worked off.
    func stop() {
        let sleeping = mailbox.withLock { mailbox -> Bool in
            mailbox.isClosed = true
            defer { mailbox.isSleeping = false }
            return mailbox.isSleeping
        }
        guard isThreaded else { return }
        if sleeping { wake.signal() }
        ended.wait()
        ended.signal()
    }

    /// What has arrived while the last batch was worked on; sleeps while there is nothing.
    private func next() -> [Mailbox.Item]? {
        while true {
            let way = mailbox.withLock { mailbox -> Next in
                if !mailbox.items.isEmpty { return .work(mailbox.take()) }
                if mailbox.isClosed { return .end }
                mailbox.isSleeping = true
                return .sleep
            }
            switch way {
            case .work(let items): return items
            case .sleep: wake.wait()
            case .end: return nil
            }
        }
    }
}
