/// The typed state of a Core, with its reducer and its earlier states.
final class TypedStateOwner<State: Sendable>: StateOwner, @unchecked Sendable {
    // Safety: all members belong to the thread that drains the mailbox.

    let form: ReducerForm<State>
    let machine: (any StateMachine<State>)?
    let sink: (any Sink<State>)?
    private let differs: (@Sendable (State, State) -> Bool)?
    let edited: [EditedModules]

    @exclusivity(unchecked) private(set) var current: State
    /// The state of the last commit.
    @exclusivity(unchecked) private var durable: State
    /// The state that ``restore(keeping:)`` restores: the state before the current envelope, if
    /// ``save()`` was called.
    @exclusivity(unchecked) private var beforeEnvelope: State
    @exclusivity(unchecked) private var hasSaved = false
    /// The states that watchers get after the commit, if a watcher needs each state.
    @exclusivity(unchecked) private(set) var kept: ContiguousArray<State> = []
    /// True if the last of the kept states is the current state.
    @exclusivity(unchecked) private var lastIsCurrent = false
    let hasSessions: Bool
    /// The session whose slices the state shows; the outer `nil` if the session is unknown.
    @exclusivity(unchecked) private var reader: String??

    let counts = WatcherCounts()
    /// The watchers, each kind in the order in which they were added.
    var observers: ContiguousArray<Subscriber<(State) -> Void>> = [] {
        didSet { counts.observers = observers.count }
    }
    var middleware: ContiguousArray<Subscriber<Middleware<State>>> = [] {
        didSet { counts.middleware = middleware.count }
    }
    var interceptors: ContiguousArray<Subscriber<Interceptor<State>>> = [] {
        didSet { counts.interceptors = interceptors.count }
    }
    var reactions: ContiguousArray<Subscriber<ActionReaction<State>>> = [] {
        didSet { counts.reactions = reactions.count }
    }

    init(_ state: State, _ form: ReducerForm<State>, _ configuration: CoreConfiguration<State>) {
        self.form = form
        machine = if case .machine(let machine) = form { machine } else { nil }
        hasSessions = machine?.hasSessions == true
        sink = configuration.sink
        differs = configuration.changed
        edited = configuration.edited
        current = state
        durable = state
        beforeEnvelope = state
    }

    var state: any Sendable { current }
    private(set) var keptCount = 0

    func state(of session: String?) -> any Sendable {
        // The Core's own copy shows the slices of the last action's session.
        var state = current
        machine?.show(&state, to: session)
        return state
    }

    func module(of action: any Action) -> ActionModule? { machine?.module(of: action) }
}

// Reducing

extension TypedStateOwner {
    func changePlainly(_ action: any Action) throws {
        try replace(action)
        if counts.observers > 0 { show(current) }
    }

    func changeState(
        _ action: any Action,
        version: UInt64,
        from session: String?,
        isReplay: Bool
    ) throws -> Reduction {
        if isReplay { show(to: session) }
        let isShown = counts.hasStateWatchers
        var effect: PendingEffect?
        let kept: Int?
        let change: Change
        if let machine {
            if let route = machine.route(of: action) {
                kept = keepCurrent(isShown || machine.isWatched(route))
                change =
                    if isReplay {
                        try machine.replay(
                            &current,
                            action,
                            by: route,
                            version: version,
                            from: session,
                            effect: &effect
                        )
                    } else {
                        try machine.edit(
                            &current,
                            action,
                            by: route,
                            version: version,
                            from: session,
                            effect: &effect
                        )
                    }
            } else {
                kept = keepCurrent(isShown)
                change = Change(isChange: false, isOfSession: hasSessions && !isReplay)
            }
        } else {
            kept = keepCurrent(isShown)
            change = try self.change(action)
        }
        // Keeps the state after the action as well.
        if kept != nil { keep() }
        return Reduction(change: change, effect: effect, kept: kept)
    }

    func show(to session: String?) {
        guard hasSessions, !isShown(to: session) else { return }
        reader = .some(session)
        machine?.show(&current, to: session)
        // An earlier kept state shows the slices of another session.
        lastIsCurrent = false
    }

    private func isShown(to session: String?) -> Bool {
        guard let reader else { return false }
        guard let reader, let session else { return reader == nil && session == nil }
        return reader.isSame(as: session)
    }

    /// Keeps the state before an action if a watcher needs the state. Returns the index of the kept
    /// state.
    private func keepCurrent(_ isShown: Bool) -> Int? {
        guard isShown else {
            lastIsCurrent = false
            return nil
        }
        if !lastIsCurrent { keep() }
        lastIsCurrent = true
        return keptCount - 1
    }

    private func keep() {
        kept.append(current)
        keptCount += 1
    }

    private func change(_ action: any Action) throws -> Change {
        guard let differs else {
            try replace(action)
            return Change(isChange: true)
        }
        let old = current
        try replace(action)
        return Change(isChange: differs(old, current))
    }

    private func replace(_ action: any Action) throws {
        switch form {
        case .returning(let reducer): current = reducer(current, action)
        case .mutating(let reducer): reducer(&current, action)
        case .throwing(let reducer): try replace(by: reducer, action)
        case .machine(let machine): try machine.edit(&current, action, version: 0)
        }
    }

    /// Reduces on a copy, so that the changes of a reducer that throws are dropped.
    private func replace(
        by reducer: @Sendable (inout State, any Action) throws -> Void,
        _ action: any Action
    ) throws {
        var copy = current
        try reducer(&copy, action)
        current = copy
    }
}

// Restoring an earlier state

extension TypedStateOwner {
    func save() {
        beforeEnvelope = current
        hasSaved = true
    }

    func restore(keeping count: Int) {
        current = beforeEnvelope
        reader = nil
        lastIsCurrent = false
        guard keptCount > count else { return }
        kept.removeSubrange(count...)
        keptCount = count
    }

    func commit() {
        durable = current
        // Frees the memory of the older state.
        if hasSaved { beforeEnvelope = current }
        hasSaved = false
    }

    func rollBack() {
        current = durable
        reader = nil
        forgetKept()
        sink?.rolledBack()
    }

    func forgetKept() {
        lastIsCurrent = false
        guard keptCount > 0 else { return }
        kept.removeAll(keepingCapacity: true)
        keptCount = 0
    }
}

// The output of the Core: the sink gets states, and the observers of slices get changes.

extension TypedStateOwner {
    func reduced(version: UInt64, _ steps: ContiguousArray<Step>, from first: Int, changed: Bool) {
        for edited in edited {
            for index in first..<steps.count {
                edited.insert(steps[index].change, from: steps[index].envelope.session)
            }
        }
        if let sink, sink.takesEachVersion {
            sink.reduced(current, version: version, changed: changed)
        }
    }

    func prepare(through version: UInt64) throws { try sink?.prepare(current, through: version) }

    func committed(through version: UInt64, for audience: Audience?) {
        sink?.committed(current, through: version, for: audience)
    }

    func completed() { sink?.completed() }

    func showSlices(_ step: Step, version: UInt64?) {
        guard let machine, let place = step.kept else { return }
        let envelope = step.envelope
        let watch = envelope.watch.map { EffectWatch(following: $0) }
        machine.show(
            step.change,
            from: kept[place],
            to: kept[place + 1],
            SliceCause(
                version: version,
                isElsewhere: version == nil,
                session: envelope.session,
                sender: .known(
                    principal: envelope.principal,
                    trace: TraceContext.parent(of: step.member.meta)
                ),
                audience: envelope.audience,
                watch: watch
            )
        )
    }
}
