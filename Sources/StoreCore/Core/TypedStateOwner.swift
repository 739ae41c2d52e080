/// The typed state of a Core, with its reducer and its earlier states.
final class TypedStateOwner<State: Sendable>: StateOwner, @unchecked Sendable {
    // Safety: all members belong to the thread that drains the mailbox.

    let reducer: AnyReducer<State>
    let modularReducer: (any ModularReducer<State>)?
    let sink: (any StateSink<State>)?
    private let statesDiffer: (@Sendable (State, State) -> Bool)?
    let editedModules: [EditedModules]

    @exclusivity(unchecked) private(set) var current: State
    /// The state of the last commit.
    @exclusivity(unchecked) private var durable: State
    /// The state that ``restoreSavepoint(keptStateCount:)`` restores: the state before the current
    /// envelope, if ``setSavepoint()`` was called.
    @exclusivity(unchecked) private var stateBeforeEnvelope: State
    @exclusivity(unchecked) private var hasSavepoint = false
    /// The states that watchers get after the commit, if a watcher needs each state.
    @exclusivity(unchecked) private(set) var keptStates: ContiguousArray<State> = []
    /// True if the last of the kept states is the current state.
    @exclusivity(unchecked) private var isLastKeptStateCurrent = false
    let hasOwnedSlices: Bool
    /// The client whose slices the state shows; `nil` if the client is unknown.
    @exclusivity(unchecked) private var shownClient:
        (session: String?, principal: ActionPrincipal?)?

    let watcherCounts = WatcherCounts()
    /// The watchers, each kind in the order in which they were added.
    var observers: ContiguousArray<Subscription<(State) -> Void>> = [] {
        didSet { watcherCounts.observers = observers.count }
    }
    var middleware: ContiguousArray<Subscription<Middleware<State>>> = [] {
        didSet { watcherCounts.middleware = middleware.count }
    }
    var interceptors: ContiguousArray<Subscription<Interceptor<State>>> = [] {
        didSet { watcherCounts.interceptors = interceptors.count }
    }
    var reactions: ContiguousArray<Subscription<ActionReaction<State>>> = [] {
        didSet { watcherCounts.reactions = reactions.count }
    }

    init(_ state: State, _ form: AnyReducer<State>, _ configuration: CoreConfiguration<State>) {
        self.reducer = form
        modularReducer = if case .modular(let machine) = form { machine } else { nil }
        hasOwnedSlices = modularReducer?.hasOwnedSlices == true
        sink = configuration.sink
        statesDiffer = configuration.statesDiffer
        editedModules = configuration.editedModules
        current = state
        durable = state
        stateBeforeEnvelope = state
    }

    var state: any Sendable { current }
    private(set) var keptStateCount = 0

    func state(of session: String?, as principal: ActionPrincipal?) -> any Sendable {
        // The Core's own copy shows the slices of the last action's sender.
        var state = current
        modularReducer?.setReader(of: &state, to: session, as: principal)
        return state
    }

    var restrictedModules: RestrictedModules {
        modularReducer?.restrictedModules ?? RestrictedModules()
    }

    func module(of action: any Action) -> ActionModule? { modularReducer?.module(of: action) }
}

// Reducing

extension TypedStateOwner {
    func changeStateOnShortPath(_ action: any Action) throws {
        try reduce(action)
        if watcherCounts.observers > 0 { callObservers(with: current) }
    }

    func changeState(
        _ action: any Action,
        from session: String?,
        _ origin: ReducerContextSource,
        isReplay: Bool
    ) throws -> Reduction {
        if isReplay, hasOwnedSlices { showSlices(of: session, as: origin.principal) }
        let hasStateWatchers = watcherCounts.hasStateWatchers
        var effect: AnyEffect?
        let keptStateIndex: Int?
        let change: Change
        if let modularReducer {
            if let route = modularReducer.route(of: action) {
                keptStateIndex = keepStateBeforeAction(
                    ifNeeded: hasStateWatchers || modularReducer.hasObservers(route)
                )
                change =
                    if isReplay {
                        try modularReducer.replay(
                            &current,
                            action,
                            by: route,
                            from: session,
                            origin,
                            effect: &effect
                        )
                    } else {
                        try modularReducer.reduce(
                            &current,
                            action,
                            by: route,
                            from: session,
                            origin,
                            effect: &effect
                        )
                    }
            } else {
                keptStateIndex = keepStateBeforeAction(ifNeeded: hasStateWatchers)
                change = Change(
                    changesState: false,
                    isVisibleToSenderOnly: hasOwnedSlices && !isReplay
                )
            }
        } else {
            keptStateIndex = keepStateBeforeAction(ifNeeded: hasStateWatchers)
            change = try self.reduceAndCompare(action)
        }
        // Keeps the state after the action as well.
        if keptStateIndex != nil { appendCurrentToKeptStates() }
        return Reduction(change: change, effect: effect, keptStateIndex: keptStateIndex)
    }

    func showSlices(forSenderOf envelope: Envelope) {
        guard hasOwnedSlices, !showsSlices(of: envelope) else { return }
        showSlices(of: envelope.session, as: envelope.principal)
    }

    private func showSlices(of session: String?, as principal: ActionPrincipal?) {
        shownClient = (session, principal)
        modularReducer?.setReader(of: &current, to: session, as: principal)
        // An earlier kept state shows the slices of another client.
        isLastKeptStateCurrent = false
    }

    private func showsSlices(of envelope: Envelope) -> Bool {
        guard shownClient != nil else { return false }
        guard let shown = shownClient?.session, let session = envelope.session else {
            return shownClient?.session == nil && envelope.session == nil
                && shownClient?.principal == envelope.principal
        }
        return shown.isSame(as: session) && shownClient?.principal == envelope.principal
    }

    /// Keeps the state before an action if a watcher needs the state. Returns the index of the kept
    /// state.
    private func keepStateBeforeAction(ifNeeded isShown: Bool) -> Int? {
        guard isShown else {
            isLastKeptStateCurrent = false
            return nil
        }
        if !isLastKeptStateCurrent { appendCurrentToKeptStates() }
        isLastKeptStateCurrent = true
        return keptStateCount - 1
    }

    private func appendCurrentToKeptStates() {
        keptStates.append(current)
        keptStateCount += 1
    }

    private func reduceAndCompare(_ action: any Action) throws -> Change {
        guard let statesDiffer else {
            try reduce(action)
            return Change(changesState: true)
        }
        let old = current
        try reduce(action)
        return Change(changesState: statesDiffer(old, current))
    }

    private func reduce(_ action: any Action) throws {
        switch reducer {
        case .returning(let reducer): current = reducer(current, action)
        case .mutating(let reducer): reducer(&current, action)
        case .throwing(let reducer): try reduceOnCopy(by: reducer, action)
        case .modular(let machine):
            try machine.reduce(
                &current,
                action,
                ReducerContextSource(version: 0)
            )
        }
    }

    /// Reduces on a copy: if the reducer throws, its changes are dropped.
    private func reduceOnCopy(
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
    func setSavepoint() {
        stateBeforeEnvelope = current
        hasSavepoint = true
    }

    func restoreSavepoint(keptStateCount count: Int) {
        current = stateBeforeEnvelope
        shownClient = nil
        isLastKeptStateCurrent = false
        guard keptStateCount > count else { return }
        keptStates.removeSubrange(count...)
        keptStateCount = count
    }

    func markDurable() {
        durable = current
        // Frees the memory of the older state.
        if hasSavepoint { stateBeforeEnvelope = current }
        hasSavepoint = false
    }

    func rollBack() {
        current = durable
        shownClient = nil
        dropKeptStates()
        sink?.didRollBack()
    }

    func dropKeptStates() {
        isLastKeptStateCurrent = false
        guard keptStateCount > 0 else { return }
        keptStates.removeAll(keepingCapacity: true)
        keptStateCount = 0
    }
}

// The output of the Core: the sink gets states, and the observers of slices get changes.

extension TypedStateOwner {
    func reportReduced(
        version: UInt64,
        _ steps: ContiguousArray<Step>,
        from first: Int,
        changed: Bool
    ) {
        for edited in editedModules {
            for index in first..<steps.count {
                edited.insert(steps[index].change, from: steps[index].envelope.session)
            }
        }
        if let sink, sink.takesEachVersion {
            sink.didReduce(current, version: version, changed: changed)
        }
    }

    func prepare(through version: UInt64) throws { try sink?.prepare(current, through: version) }

    func publish(through version: UInt64, for audience: Audience?) {
        sink?.publish(current, through: version, for: audience)
    }

    func wakeStreams() { sink?.wakeStreams() }

    func notifySliceObservers(of step: Step, version: UInt64?) {
        guard let modularReducer, let place = step.keptStateIndex else { return }
        let envelope = step.envelope
        let watch = envelope.watch.map { EffectWatch(following: $0) }
        modularReducer.notifyObservers(
            of: step.change,
            from: keptStates[place],
            to: keptStates[place + 1],
            SliceChangeOrigin(
                version: version,
                isOfOtherEngine: version == nil,
                session: envelope.session,
                sender: .make(
                    principal: envelope.principal,
                    trace: TraceContext.traceparent(in: step.reducedAction.meta)
                ),
                audience: envelope.audience,
                watch: watch
            )
        )
    }
}
