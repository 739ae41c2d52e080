public import Dispatch

/// The only owner of a state. A Core puts actions into one order, makes each next state with the
/// reducer, and calls the observers with each state.
///
/// ```swift
/// let core = Core<AppState>(state: AppState.initial, reducer: reducer)
/// let unsubscribe = core.observe { state in print(state.counter) }
/// core.dispatch(CounterIncreaseRequested())
/// unsubscribe()
/// ```
///
/// The state has no getter. Observe the state instead: an observer misses no state. Any thread may
/// call any method. A dispatch from a reducer, a middleware or an observer is queued behind the
/// current action.
///
/// The Core of this example has no thread. A caller that finds the Core idle does the work,
/// including the work of callers that dispatch meanwhile. A Core can also have a thread of its own,
/// as in a server.
public final class Core<State: Sendable>: Sendable {
    /// The part of this Core that does not depend on the type of the state.
    package let engine: Engine
    let stateOwner: TypedStateOwner<State>

    /// Makes a Core with a reducer that returns the next state.
    public convenience init(state: State, reducer: @escaping Reducer<State>) {
        self.init(state: state, reducer: .returning(reducer), configuration: CoreConfiguration())
    }

    /// Makes a Core with a reducer that changes the state in place, without a copy of the state.
    ///
    /// - Parameters:
    ///   - state: the initial state, version 0.
    ///   - thread: the name for the Core's own thread; the system shows at most 15 bytes of the
    ///     name. The thread works until ``stop()``, and a caller only puts its action into the
    ///     mailbox. With `nil`, callers do the work.
    ///   - mailboxMax: the maximum number of waiting actions; `nil` means 65,536. Beyond this
    ///     bound, a dispatch is refused.
    ///   - reducer: changes the state, on the thread that does the Core's work.
    public convenience init(
        state: State,
        thread: String? = nil,
        mailboxMax: Int? = nil,
        reducer: @escaping @Sendable (inout State, any Action) -> Void
    ) {
        var configuration = CoreConfiguration<State>()
        if thread != nil { configuration.driver = .thread }
        if let mailboxMax { configuration.clientMailboxMax = mailboxMax }
        self.init(state: state, reducer: .mutating(reducer), configuration: configuration)
        if let thread { engine.start(named: thread) }
    }

    /// Makes a Core with a reducer that changes the state in place, or refuses an action by
    /// throwing ``Refusal``. The reducer works on a copy, so the Core drops the changes if the
    /// reducer throws.
    public convenience init(
        state: State,
        reducer: @escaping @Sendable (inout State, any Action) throws -> Void
    ) {
        self.init(state: state, reducer: .throwing(reducer), configuration: CoreConfiguration())
    }

    /// Stops accepting actions. If the Core has a thread, waits until the queued actions are
    /// applied and the thread has ended.
    public func stop() { engine.stop() }

    /// Makes a Core from a reducer of any form and a configuration with ports and bounds.
    package init(state: State, reducer: AnyReducer<State>, configuration: CoreConfiguration<State>)
    {
        stateOwner = TypedStateOwner(state, reducer, configuration)
        engine = Engine(stateOwner, configuration.ports, hasSink: configuration.sink != nil)
    }

    /// Puts an action into the mailbox and returns at once. If the calling thread does the Core's
    /// work, returns after the thread has applied this action and the actions that arrived
    /// meanwhile.
    ///
    /// The function throws no error: use ``apply(_:)`` to wait for the outcome of the action.
    ///
    /// - Returns: `false` if the mailbox is full or the Core has stopped. The action is then not
    ///   applied, and ``mailboxRefusedTotal`` counts it. The result is also `false` if a server has
    ///   no wire name for the action's type. The server then logs the action, and ``droppedTotal``
    ///   counts it.
    @discardableResult
    public func dispatch(_ action: any Action) -> Bool { engine.dispatch(action) }

    /// Calls `observer` with the current state, and then after every action, even if the action did
    /// not change the state.
    ///
    /// Observers are called in the order in which they subscribed. An observer without a queue runs
    /// on the thread that does the Core's work, and delays the next action.
    ///
    /// - Returns: the command that ends the observation. If the command runs on the observer's own
    ///   thread, the Core does not call the observer again. If the command runs on another thread,
    ///   one call may still be in progress.
    @discardableResult
    public func observe(
        on queue: DispatchQueue? = nil,
        with observer: @escaping @Sendable (State) -> Void
    ) -> PlainCommand {
        subscribe(observer, on: queue, in: \.observers) { owner, subscriber in
            owner.call(owner.current, with: subscriber)
        }
    }

    /// Adds middleware behind the existing middleware.
    ///
    /// A middleware may read and dispatch, but it cannot change or stop the action.
    ///
    /// - Returns: the command that removes the middleware. A closure that the middleware has
    ///   already returned for an action still runs.
    @discardableResult
    public func add(middleware: @escaping Middleware<State>) -> PlainCommand {
        subscribe(middleware, in: \.middleware)
    }

    /// Adds an interceptor behind the existing interceptors.
    ///
    /// - Returns: the command that removes the interceptor.
    @discardableResult
    public func add(interceptor: @escaping Interceptor<State>) -> PlainCommand {
        subscribe(interceptor, in: \.interceptors)
    }

    /// Calls `reaction` with each applied action, and dispatches the action that the reaction
    /// returns.
    ///
    /// - Returns: the command that removes the reaction.
    package func add(_ reaction: ActionReaction<State>) -> PlainCommand {
        subscribe(reaction, in: \.reactions)
    }

    private typealias WatcherList<Handler> =
        ReferenceWritableKeyPath<TypedStateOwner<State>, ContiguousArray<Subscription<Handler>>>
        & Sendable

    /// Adds a handler to a list of watchers after the waiting actions were applied, and then calls
    /// `added`. Returns the command that removes the handler.
    private func subscribe<Handler>(
        _ handler: Handler,
        on queue: DispatchQueue? = nil,
        in list: any WatcherList<Handler>,
        added: (@Sendable (TypedStateOwner<State>, Subscription<Handler>) -> Void)? = nil
    ) -> PlainCommand {
        let subscriber = Subscription(handler: handler, queue: queue)
        engine.enqueueTask { [stateOwner] _ in
            guard subscriber.isActive else { return }
            stateOwner[keyPath: list].append(subscriber)
            added?(stateOwner, subscriber)
        }
        return PlainCommand(id: "end") { [weak self] in
            guard subscriber.end(), let self else { return }
            engine.enqueueTask { [stateOwner] _ in
                stateOwner[keyPath: list].removeAll { $0 === subscriber }
            }
        }
    }
}

extension Core {
    /// Dispatches an action, and waits for the commit of the action and for all calls of observers
    /// without a queue.
    ///
    /// - Returns: the version that the action made, and the state of that version.
    /// - Throws: ``DispatchError`` with one of these codes:
    ///   - `refused`: the reducer or an interceptor refuses the action.
    ///   - `invalidAction`: the action has no wire name, or its fields have no JSON form.
    ///   - `mailboxFull`, `closed`: the mailbox does not take the action.
    ///   - `storageFull`, `journalFailed`, `journalUnreadable`, `contended`: the journal does not
    ///     store the action.
    ///   - `outcomeUnknown`: the append to the journal has no known result.
    @discardableResult
    public func apply(_ action: any Action) async throws(DispatchError) -> Applied<State> {
        try await apply(action, watch: nil)
    }

    /// Applies an action like ``apply(_:)``, for a client with a session and a principal. `watch`
    /// ends when all effects that follow the action have ended. If `isLimitedToReadableSlices` is
    /// true, the action is refused on a restricted slice that the client may not read.
    package func apply(
        _ action: any Action,
        watch: EffectWatch?,
        from session: String? = nil,
        by principal: ActionPrincipal? = nil,
        isLimitedToReadableSlices: Bool = false
    ) async throws(DispatchError) -> Applied<State> {
        let member = try engine.validMember(of: action)
        let (version, state) = try await engine.offerAndWait { completion in
            Envelope(
                members: [member],
                principal: principal,
                // The outcome must have the state of this action's own version. When the Core
                // delivers the outcome, the Core may already have a newer state.
                returnsState: true,
                watch: watch,
                session: session,
                isLimitedToReadableSlices: isLimitedToReadableSlices,
                completion: completion
            )
        }
        // The engine returns the state without its static type, but the value always has this
        // Core's type.
        guard let state = state?.value as? State else {
            throw DispatchError(CoreFailure.outcomeUnknown)
        }
        return Applied(version: version, state: state)
    }
}

extension Core {
    /// The number of actions that the mailbox has refused since the start.
    public var mailboxRefusedTotal: UInt64 { engine.mailboxRefusedTotal }

    /// The number of actions of the program itself that the Core has dropped since the start,
    /// instead of applying them.
    public var droppedTotal: UInt64 { engine.droppedProgramActionTotal }

    /// Makes the Core read the records that other writers have appended to its journal. Any thread
    /// may call this function, which does not wait for the Core.
    ///
    /// The call is unnecessary if the journal notifies the Core of these records
    /// (``Journal/watch(_:)``).
    package func readRecordsOfOtherWriters() { engine.readAllRecordsOfOtherWriters() }

    /// Starts the Core's thread, or begins to use the threads of the Core's pool. Does nothing if
    /// callers do the work.
    package func start() { engine.start() }

    /// Processes the waiting items of a Core whose own thread was not started. A simulation calls
    /// this function, because a simulation does all work on one thread. Returns `true` if any item
    /// waited.
    package func runTurn() -> Bool { engine.runTurn() }
}

/// The result of an awaited action.
public struct Applied<State: Sendable>: Sendable {
    /// The version that the action made: 1 for the first action.
    public let version: UInt64
    /// The state of ``version``.
    public let state: State
}

/// Makes the next state from a state and an action.
///
/// A reducer is pure: the same input always gives the same output, and the function reads and
/// changes nothing else. The Core reduces one action at a time, so a slow reducer delays all other
/// actions.
public typealias Reducer<State> = @Sendable (State, any Action) -> State
