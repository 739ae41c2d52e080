import Dispatch

/// Owns the state of a Core, and has its type.
final class TypedStateOwner<State: Sendable>: StateOwner, @unchecked Sendable {
    // Safety: everything belongs to the thread that drains the mailbox.

    let form: ReducerForm<State>
    private let machine: (any StateMachine<State>)?
    private let sink: (any Sink<State>)?
    private let differs: (@Sendable (State, State) -> Bool)?
    private let touched: [TouchedModules]

    @exclusivity(unchecked) private(set) var current: State
    /// The state of the last commit.
    @exclusivity(unchecked) private var durable: State
    /// The state before the envelope that is being worked on, where it may have to come back.
    @exclusivity(unchecked) private var beforeEnvelope: State
    @exclusivity(unchecked) private var hasSaved = false
    /// States that are shown after the commit, where an observer looks at each.
    @exclusivity(unchecked) private var kept: ContiguousArray<State> = []
    /// Whether the last of them is the state as it is.
    @exclusivity(unchecked) private var lastIsCurrent = false

    let counts = WatcherCounts()
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
        sink = configuration.sink
        differs = configuration.changed
        touched = configuration.touched
        current = state
        durable = state
        beforeEnvelope = state
    }

    var state: any Sendable { current }
    var saved: any Sendable { beforeEnvelope }
    private(set) var keptCount = 0
}

// Reducing

extension TypedStateOwner {
    func applyPlain(_ action: any Action) throws {
        switch form {
        case .mutating(let reducer): reducer(&current, action)
        case .returning(let reducer): current = reducer(current, action)
        case .throwing(let reducer): try replace(by: reducer, action)
        case .machine(let machine): try machine.reduce(&current, action, version: 0)
        }
        if counts.observers > 0 { showObservers(current) }
    }

    func reduce(
        _ action: any Action,
        version: UInt64,
        from sessions: [String]
    ) throws -> Reduction {
        if let machine { return try reduce(action, in: machine, version, sessions) }
        let kept = keepCurrent(counts.hasStateWatchers)
        let change = try change(action)
        keepNext(kept)
        return Reduction(change: change, effect: nil, kept: kept)
    }

    private func reduce(
        _ action: any Action,
        in machine: any StateMachine<State>,
        _ version: UInt64,
        _ sessions: [String]
    ) throws -> Reduction {
        let isShown = counts.hasStateWatchers
        guard let route = machine.route(of: action) else {
            let kept = keepCurrent(isShown)
            keepNext(kept)
            return Reduction(change: .none, effect: nil, kept: kept)
        }
        let kept = keepCurrent(isShown || machine.isWatched(route))
        let change = try machine.reduce(
            &current,
            action,
            by: route,
            version: version,
            from: sessions
        )
        keepNext(kept)
        return Reduction(
            change: change,
            // The state is copied for the call, so it is made only where something may follow.
            effect: route.hasEffect ? machine.effect(after: action, by: route, in: current) : nil,
            kept: kept
        )
    }

    func replay(_ action: any Action, version: UInt64) throws -> Reduction {
        let route = machine.flatMap { $0.route(of: action) }
        let isWatched = route.map { machine?.isWatched($0) == true } ?? false
        let kept = keepCurrent(counts.hasStateWatchers || isWatched)
        let change =
            if let machine, let route {
                try machine.replay(&current, action, by: route, version: version)
            } else if machine == nil {
                try change(action)
            } else {
                Change.none
            }
        keepNext(kept)
        var effect: PendingEffect?
        if let machine, let route, route.hasEffect {
            effect = machine.effect(after: action, by: route, in: current)
        }
        return Reduction(change: change, effect: effect, kept: kept)
    }

    /// Keeps the state before an action, where an observer looks at it; answers its place.
    private func keepCurrent(_ isShown: Bool) -> Int? {
        guard isShown else {
            lastIsCurrent = false
            return nil
        }
        if !lastIsCurrent { keep() }
        lastIsCurrent = true
        return keptCount - 1
    }

    /// Keeps the state behind an action whose state before it is kept.
    private func keepNext(_ place: Int?) {
        if place != nil { keep() }
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
        case .machine: break
        }
    }

    /// What a reducer changes before it throws is forgotten.
    private func replace(
        by reducer: @Sendable (inout State, any Action) throws -> Void,
        _ action: any Action
    ) throws {
        var copy = current
        try reducer(&copy, action)
        current = copy
    }

    func middleware(before action: StampedAction) -> [@Sendable () -> Void] {
        var released: [@Sendable () -> Void] = []
        for subscription in middleware where subscription.isActive {
            if let after = subscription.handler(current, action) { released.append(after) }
        }
        return released
    }

    func intercept(stamp: ((any Action)?) throws -> StampedAction) throws -> Intercepted {
        var intercepted = Intercepted()
        var stamped = try stamp(nil)
        for interceptor in interceptors where interceptor.isActive {
            let interception = try interceptor.handler(current, stamped)
            if let replacement = interception.replacement { stamped = try stamp(replacement) }
            intercepted.following += interception.following
            if let hook = interception.after {
                intercepted.hooks.append { state in
                    if let state = state as? State { hook(state) }
                }
            }
        }
        return intercepted
    }
}

// Going back

extension TypedStateOwner {
    func save() {
        beforeEnvelope = current
        hasSaved = true
    }

    func restore(keeping count: Int) {
        current = beforeEnvelope
        lastIsCurrent = false
        guard keptCount > count else { return }
        kept.removeSubrange(count...)
        keptCount = count
    }

    func commit() {
        durable = current
        // Lets go of the older state's memory.
        if hasSaved { beforeEnvelope = current }
        hasSaved = false
    }

    func rollBack() {
        current = durable
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

// Letting out

extension TypedStateOwner {
    func reduced(
        version: UInt64,
        _ steps: ContiguousArray<Step>,
        from first: Int,
        changed: Bool
    ) {
        for touched in touched {
            for index in first..<steps.count { touched.insert(steps[index].change.touches) }
        }
        if let sink, sink.takesEachVersion {
            sink.reduced(current, version: version, changed: changed)
        }
    }

    func prepare(through version: UInt64) throws {
        try sink?.prepare(current, through: version)
    }

    func committed(through version: UInt64, for audience: Audience?) {
        sink?.committed(current, through: version, for: audience)
    }

    func completed() {
        sink?.completed()
    }

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
                sessions: envelope.sessions,
                audience: envelope.audience,
                watch: watch
            )
        )
    }

    func reactions(to step: Step) -> [(action: any Action, place: String)] {
        guard let place = step.kept else { return [] }
        var answers: [(action: any Action, place: String)] = []
        for reaction in reactions where reaction.isActive {
            let answer = reaction.handler.react(
                step.member.action,
                kept[place],
                kept[place + 1],
                step.change.isChange
            )
            if let answer { answers.append((answer, reaction.handler.place)) }
        }
        return answers
    }

    func showState(_ step: Step) {
        if counts.observers > 0, let place = step.kept { showObservers(kept[place + 1]) }
    }

    /// Shows a state to every observer, in the order of subscription.
    private func showObservers(_ state: State) {
        for subscription in observers where subscription.isActive {
            deliver(state, to: subscription)
        }
    }

    private func deliver(_ state: State, to subscription: Subscriber<(State) -> Void>) {
        if let queue = subscription.queue {
            queue.async {
                if subscription.isActive { subscription.handler(state) }
            }
        } else {
            subscription.handler(state)
        }
    }

    /// Lets an observer in: it gets the state as it is, and then all that come.
    func add(observer: Subscriber<(State) -> Void>) {
        guard observer.isActive else { return }
        observers.append(observer)
        deliver(current, to: observer)
    }
}
