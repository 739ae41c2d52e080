public import Dispatch

/// The only owner of a state. A Core puts actions into one order, makes each next state with the
/// reducer, and calls the observers with it.
///
/// ```swift
/// let core = Core<AppState>(state: AppState.initial, reducer: reducer)
/// let unsubscribe = core.observe { state in print(state.counter) }
/// core.dispatch(CounterIncreaseRequested())
/// unsubscribe()
/// ```
///
/// The state has no getter. Observe it instead: an observer misses no state. Any thread may call
/// any method. A dispatch from a reducer, a middleware or an observer is queued behind the current
/// action.
///
/// A Core that is made as above has no thread. The caller that finds it idle does the work,
/// including the work of callers that dispatch meanwhile. A Core can also have a thread of its own,
/// as in a server.
public final class Core<State: Sendable>: Sendable {
    /// This Core without the type of its state.
    package let engine: Engine
    let owner: TypedStateOwner<State>

    /// Makes a Core with a reducer that returns the next state.
    public convenience init(state: State, reducer: @escaping Reducer<State>) {
        self.init(state: state, form: .returning(reducer), configuration: CoreConfiguration())
    }

    /// Makes a Core with a reducer that changes the state in place. This avoids a copy of a large
    /// state.
    ///
    /// - Parameters:
    ///   - state: the initial state, version 0.
    ///   - thread: the name of a thread of the Core's own; the system shows at most 15 bytes of it.
    ///     The thread works until ``stop()``, and a caller only puts its action into the mailbox.
    ///     With `nil`, callers do the work.
    ///   - mailboxMax: the most actions that wait; `nil` means 65,536. Beyond it, a dispatch is
    ///     refused.
    ///   - reducer: changes the state, on the thread that does the Core's work.
    public convenience init(
        state: State,
        thread: String? = nil,
        mailboxMax: Int? = nil,
        reducer: @escaping @Sendable (inout State, any Action) -> Void
    ) {
        var configuration = CoreConfiguration<State>()
        if thread != nil { configuration.driver = .thread }
        if let mailboxMax { configuration.mailboxMax = mailboxMax }
        self.init(state: state, form: .mutating(reducer), configuration: configuration)
        if let thread { engine.start(named: thread) }
    }

    /// Makes a Core with a reducer that changes the state in place, or refuses an action by
    /// throwing ``Refusal``. The reducer works on a copy, so the Core drops its changes if it
    /// throws.
    public convenience init(
        state: State,
        reducer: @escaping @Sendable (inout State, any Action) throws -> Void
    ) {
        self.init(state: state, form: .throwing(reducer), configuration: CoreConfiguration())
    }

    /// Stops accepting actions. If the Core has a thread, waits until the queued actions are
    /// applied and the thread has ended.
    public func stop() {
        engine.stop()
    }

    /// Makes a Core with ports.
    package init(
        state: State,
        form: ReducerForm<State>,
        configuration: CoreConfiguration<State>
    ) {
        owner = TypedStateOwner(state, form, configuration)
        engine = Engine(owner, configuration.ports, hasSink: configuration.sink != nil)
    }

    /// Puts an action into the mailbox and returns at once. If the calling thread does the Core's
    /// work, returns after it has applied this action and the actions that arrived meanwhile.
    ///
    /// The function throws no error: use ``apply(_:)`` to wait for the outcome of the action.
    ///
    /// - Returns: `false` if the mailbox is full or the Core has stopped. The action is then not
    ///   applied, and ``mailboxRefusedTotal`` counts it. Also `false` if a server has no wire name
    ///   for the action's type: the server logs the action, and ``droppedTotal`` counts it.
    @discardableResult
    public func dispatch(_ action: any Action) -> Bool {
        engine.dispatch(action)
    }

    /// Calls `observer` with the current state, and then after every action, even if the action did
    /// not change the state.
    ///
    /// Observers are called in the order in which they subscribed. An observer without a queue runs
    /// on the thread that does the Core's work, and delays the next action.
    ///
    /// - Returns: the command that ends the observation. After it runs on the observer's own
    ///   thread, the observer is not called again. If it runs on another thread, one call may still
    ///   be in progress.
    @discardableResult
    public func observe(
        on queue: DispatchQueue? = nil,
        with observer: @escaping @Sendable (State) -> Void
    ) -> PlainCommand {
        let subscription = Subscriber<(State) -> Void>(handler: observer, queue: queue)
        perform { owner in owner.add(observer: subscription) }
        return ending(subscription) { owner in
            owner.watchers.observers.removeAll { $0 === subscription }
        }
    }

    /// Adds middleware behind the existing middleware.
    ///
    /// A middleware may read and dispatch, but it cannot change or stop the action.
    ///
    /// - Returns: the command that removes the middleware. Work that it has already returned for an
    ///   action still runs.
    @discardableResult
    public func add(middleware: @escaping Middleware<State>) -> PlainCommand {
        let subscription = Subscriber<Middleware<State>>(handler: middleware, queue: nil)
        perform { owner in
            if subscription.isActive { owner.watchers.middleware.append(subscription) }
        }
        return ending(subscription) { owner in
            owner.watchers.middleware.removeAll { $0 === subscription }
        }
    }

    /// Adds an interceptor behind the existing interceptors.
    ///
    /// - Returns: the command that removes the interceptor.
    @discardableResult
    public func add(interceptor: @escaping Interceptor<State>) -> PlainCommand {
        let subscription = Subscriber<Interceptor<State>>(handler: interceptor, queue: nil)
        perform { owner in owner.watchers.interceptors.append(subscription) }
        return ending(subscription) { owner in
            owner.watchers.interceptors.removeAll { $0 === subscription }
        }
    }

    /// Calls `reaction` with each applied action, and dispatches the action that it returns.
    ///
    /// - Returns: the command that removes the reaction.
    package func add(_ reaction: ActionReaction<State>) -> PlainCommand {
        let subscription = Subscriber<ActionReaction<State>>(handler: reaction, queue: nil)
        perform { owner in owner.watchers.reactions.append(subscription) }
        return ending(subscription) { owner in
            owner.watchers.reactions.removeAll { $0 === subscription }
        }
    }

    /// Changes the watchers at this point of the order of actions.
    private func perform(_ change: @escaping @Sendable (TypedStateOwner<State>) -> Void) {
        engine.perform { [owner] _ in change(owner) }
    }

    private func ending<Handler>(
        _ subscriber: Subscriber<Handler>,
        _ remove: @escaping @Sendable (TypedStateOwner<State>) -> Void
    ) -> PlainCommand {
        PlainCommand(id: "end") { [weak self] in
            guard subscriber.end() else { return }
            self?.perform(remove)
        }
    }
}

extension Core {
    /// The number of actions since the start that the mailbox did not take.
    public var mailboxRefusedTotal: UInt64 { engine.mailboxRefusedTotal }

    /// The number of actions of the program itself, since the start, that were not applied and
    /// whose outcome no client awaits.
    public var droppedTotal: UInt64 { engine.droppedTotal }

    /// Makes the Core read the records that other writers have appended to its journal. Any thread
    /// may call this; it does not wait for the Core.
    ///
    /// A journal that sends notifications makes this call unnecessary (``Journal/watch(_:)``).
    package func follow() {
        engine.followAll()
    }

    /// Starts the Core's thread or the first turn on its pool; does nothing if callers do the work.
    package func start() {
        engine.start()
    }

    /// Processes the waiting items in place of the Core's thread, which was not started. A
    /// simulation does all work on one thread. Returns `true` if any item waited.
    package func turn() -> Bool { engine.turn() }
}

/// Makes the next state from a state and an action.
///
/// Pure: the same input always gives the same output, and nothing else is read or changed. The Core
/// calls one reducer at a time, so a slow one delays all other actions.
public typealias Reducer<State> = @Sendable (State, any Action) -> State
