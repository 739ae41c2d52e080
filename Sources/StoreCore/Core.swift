public import Dispatch

/// The one owner of a state: takes actions in one order, makes each next state with the reducer,
/// and shows it to all observers.
///
/// ```swift
/// let core = Core<AppState>(state: AppState.initial, reducer: reducer)
/// let unsubscribe = core.observe { state in print(state.counter) }
/// core.dispatch(CounterIncreaseRequested())
/// unsubscribe()
/// ```
///
/// The state can't be asked for: observe it, and miss nothing. Any thread may call anything here. A
/// dispatch from within a reducer, a middleware or an observer is queued behind the action that is
/// being worked on.
///
/// Made as above, the Core has no thread: a caller that finds it idle does the work, and also that
/// of the callers that dispatch meanwhile. A Core may have a thread of its own, as a server's has.
public final class Core<State: Sendable>: Sendable {
    let engine: Engine
    let owner: TypedStateOwner<State>

    /// Makes a Core with a reducer that returns the next state.
    public convenience init(state: State, reducer: @escaping Reducer<State>) {
        self.init(state: state, form: .returning(reducer), configuration: CoreConfiguration())
    }

    /// Makes a Core with a reducer that changes the state in place, which spares large states the
    /// copy.
    public convenience init(
        state: State,
        reducer: @escaping @Sendable (inout State, any Action) -> Void
    ) {
        self.init(state: state, form: .mutating(reducer), configuration: CoreConfiguration())
    }

    /// Makes a Core with a reducer that may refuse an action by throwing ``Refusal``.
    @_disfavoredOverload
    public convenience init(
        state: State,
        reducer: @escaping @Sendable (State, any Action) throws -> State
    ) {
        self.init(
            state: state,
            form: .throwing { $0 = try reducer($0, $1) },
            configuration: CoreConfiguration()
        )
    }

    /// Makes a Core with a reducer that changes the state in place or refuses an action by throwing
    /// ``Refusal``. It works on a copy, so what it changed before it threw is forgotten.
    @_disfavoredOverload
    public convenience init(
        state: State,
        reducer: @escaping @Sendable (inout State, any Action) throws -> Void
    ) {
        self.init(state: state, form: .throwing(reducer), configuration: CoreConfiguration())
    }

    /// Makes a Core with a thread of its own, which works until ``stop()``: a caller that
    /// dispatches only hands over.
    ///
    /// - Parameters:
    ///   - state: the state to begin with, version 0.
    ///   - thread: the thread's name; the system shows at most 15 bytes of it.
    ///   - mailboxMax: the most actions that wait, 65,536 where it is `nil`; beyond it a dispatch
    ///     is refused.
    ///   - reducer: changes the state in place, on the Core's thread.
    @_disfavoredOverload
    public convenience init(
        state: State,
        thread: String,
        mailboxMax: Int? = nil,
        reducer: @escaping @Sendable (inout State, any Action) -> Void
    ) {
        var configuration = CoreConfiguration<State>()
        configuration.driver = .thread
        if let mailboxMax { configuration.mailboxMax = mailboxMax }
        self.init(state: state, form: .mutating(reducer), configuration: configuration)
        engine.start(named: thread)
    }

    /// Takes nothing more, works off what it has, and ends the Core's own thread, if it has one.
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

    /// Hands an action over and returns at once; where the caller does the work, when it is done.
    ///
    /// - Returns: `false` where the mailbox is full or the Core has stopped, and then the action is
    ///   not applied. That is counted in ``mailboxRefusedTotal``. Likewise where a server has no
    ///   wire name for the action's type: it logs that, and ``droppedTotal`` counts it.
    @discardableResult
    public func dispatch(_ action: any Action) -> Bool {
        engine.dispatch(action)
    }

    /// Hands an action over and waits until it is applied and all observers were called.
    ///
    /// - Returns: the version that the action made, and the state of that version.
    /// - Throws: ``Refusal`` where the reducer refuses, ``MailboxError`` where the Core does not
    ///   take the action, ``CoreFailure`` where it can't apply it.
    @discardableResult
    public func dispatch(_ action: any Action) async throws -> Dispatched<State> {
        try await withCheckedThrowingContinuation { continuation in
            dispatch(action, reportingTo: continuation)
        }
    }

    /// Calls `observer` with the state as it is and after every action from then on, whether the
    /// action changed anything or not.
    ///
    /// Observers are called in the order in which they subscribed. Without a queue they are called
    /// where the Core works and hold it up meanwhile.
    ///
    /// - Returns: the command that ends it. Once it has been called on the thread that delivers,
    ///   the observer is not called again; called from another thread, one call may be under way.
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

    /// Calls `middleware` before each action is reduced, with the state as it was and the action.
    ///
    /// Middleware runs in the order in which it was added. It may look and dispatch; it can't
    /// change or stop the action. It is called for actions that the reducer then refuses, too.
    ///
    /// - Returns: the command that ends it.
    @discardableResult
    public func add(
        middleware: @escaping @Sendable (State, any Action) -> Void
    ) -> PlainCommand {
        add(stampedMiddleware: { state, stamped in
            middleware(state, stamped.action)
            return nil
        })
    }

    /// Calls `middleware` before each action is reduced, and what it returns after the commit.
    ///
    /// What is sent out belongs into the returned closure: it is not called for an action that was
    /// refused or could not be made durable. It has a label of its own: beside
    /// ``add(middleware:)``, a closure of several statements without types would be ambiguous.
    ///
    /// - Returns: the command that ends it.
    @discardableResult
    package func add(
        stampedMiddleware middleware:
            @escaping @Sendable (State, StampedAction) -> (
                @Sendable () -> Void
            )?
    ) -> PlainCommand {
        let subscription = Subscriber<Middleware<State>>(handler: middleware, queue: nil)
        perform { owner in
            if subscription.isActive { owner.watchers.middleware.append(subscription) }
        }
        return ending(subscription) { owner in
            owner.watchers.middleware.removeAll { $0 === subscription }
        }
    }

    /// Adds an interceptor behind those that are there.
    ///
    /// - Returns: the command that ends it.
    @discardableResult
    public func add(interceptor: @escaping Interceptor<State>) -> PlainCommand {
        let subscription = Subscriber<Interceptor<State>>(handler: interceptor, queue: nil)
        perform { owner in owner.watchers.interceptors.append(subscription) }
        return ending(subscription) { owner in
            owner.watchers.interceptors.removeAll { $0 === subscription }
        }
    }

    /// Calls `reaction` with each action that was applied, and dispatches what it returns.
    ///
    /// - Returns: the command that ends it.
    package func add(_ reaction: ActionReaction<State>) -> PlainCommand {
        let subscription = Subscriber<ActionReaction<State>>(handler: reaction, queue: nil)
        perform { owner in owner.watchers.reactions.append(subscription) }
        return ending(subscription) { owner in
            owner.watchers.reactions.removeAll { $0 === subscription }
        }
    }

    /// Changes what is shown states, at its place in the order.
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
    /// Actions that the mailbox did not take, since the start.
    public var mailboxRefusedTotal: UInt64 { engine.refusedTotal }

    /// Actions of presenters and reactions that were not applied, since the start: no client
    /// waits for them.
    public var droppedTotal: UInt64 { engine.droppedTotal }

    /// Has the Core read what others have appended to its journal. Any thread; never waits for the
    /// Core.
    ///
    /// A journal that notifies of it needs no asking (``Journal/watch(_:)``).
    package func follow() {
        engine.followAll()
    }

    /// Starts the Core's own thread, where it has one.
    package func start() {
        engine.start()
    }

    /// Works off what waits, in the place of the Core's own thread where that was not started: in a
    /// simulation one thread does everything. Returns whether there was anything.
    package func turn() -> Bool { engine.turn() }
}

/// What became of a dispatched action.
public struct Dispatched<State: Sendable>: Sendable {
    /// The version that the action made: 1 for the first.
    public let version: UInt64
    /// The state of that version.
    public let state: State
}
