/// The value through which an effect reads the state, dispatches actions and uses services outside
/// the store.
public struct EffectContext<State: Sendable>: Sendable {
    /// The clock, the source of random numbers, and the services outside the store.
    public let dependencies: Dependencies
    let token: EffectToken
    let runner: EffectRunner
    let readSlice: @Sendable (any Sendable) -> State?

    /// The version of the action that this effect follows.
    public var cause: UInt64 { token.cause.version }

    /// The principal that this effect works for. The effect follows an action or a call of a use
    /// case by this principal. `nil` if no principal led to the effect. If the effect runs again
    /// after a restart, and history no longer has the action, the value is `nil`, too.
    public var principal: ActionPrincipal? { token.cause.principal }

    /// The session that this effect works for; `shared` if no session led to the effect.
    public var session: String {
        token.address.key.session ?? token.cause.session ?? SessionName.shared
    }

    /// The id of the instance whose slice the effect belongs to; `nil` if the module has no
    /// instances.
    public var instance: String? { token.address.instance }

    /// The trace of this effect, as a `traceparent` (W3C Trace Context). If the trace is exported,
    /// the text has the effect's own span. Otherwise the text is the `traceparent` of the request;
    /// `nil` if the request had none. The effect's actions and its requests by the HTTP client
    /// belong to this trace.
    public var traceparent: String? { token.trace }

    /// Returns the current slice.
    ///
    /// - Throws: `CancellationError` if the effect is cancelled or its slice does not exist.
    public func state() async throws -> State {
        let root = await runner.engine?.readState() ?? ()
        guard !token.isCancelled, let state = readSlice(root) else { throw CancellationError() }
        return state
    }

    /// Returns the current whole state. The state is of one version, and includes the changes of
    /// all actions that this effect has dispatched and awaited.
    ///
    /// The state is read on behalf of the client whose action the effect follows. The `value` of a
    /// ``PerSession`` is the value of the client's session. The `value` of a ``PerPrincipal`` is
    /// the value of the client's user or visitor. If no session led to the effect, the session is
    /// `shared`.
    ///
    /// ```swift
    /// .run { context in
    ///     let state = try await context.state(of: AppState.self)
    ///     let order = Order(state.cart.value, for: state.user.value)
    ///     try await context.dispatch(Internal.placed(context.dependencies.shop.place(order)))
    /// }
    /// ```
    ///
    /// Cost: a copy of the root state, and a look-up for each module whose slices have owners.
    ///
    /// - Parameter root: the type of the store's root state.
    /// - Returns: the state of the newest version.
    /// - Throws: `CancellationError` if the effect is cancelled or the store has ended;
    ///   ``ForeignState`` if the store has another root state.
    public func state<Root: RootState>(of root: Root.Type) async throws -> Root {
        let state =
            await runner.engine?.readState(as: token.cause.session, token.cause.principal) ?? ()
        guard !token.isCancelled, !(state is Void) else { throw CancellationError() }
        guard let state = state as? Root else {
            throw ForeignState(askedType: "\(Root.self)", actualType: "\(type(of: state))")
        }
        return state
    }

    /// Dispatches an action, and waits until it is applied and durable.
    ///
    /// The log shows the action with this effect's ``cause`` and the place of the call.
    ///
    /// - Returns: the version that the action made.
    /// - Throws: ``DispatchError`` with the code `cancelled` if the effect is cancelled, or with a
    ///   code of `Core.apply(_:)`. The code is `foreignAction` for an action that only another
    ///   module may dispatch.
    @discardableResult
    public func dispatch(
        _ action: any Action,
        file: String = #fileID,
        line: Int = #line
    ) async throws(DispatchError) -> UInt64 {
        try await dispatch(action, source("\(file):\(line)"))
    }

    /// Dispatches an action without waiting for it. The action goes into the mailbox, behind the
    /// waiting envelopes.
    ///
    /// The log shows the action with this effect's ``cause`` and the place of the call. A client
    /// that waits for effects also waits for this action. If the reducer refuses the action, or the
    /// mailbox is full, the action is dropped, logged and counted, like an action of a presenter.
    /// An effect that is cancelled sends nothing.
    public func send(_ action: any Action, file: String = #fileID, line: Int = #line) {
        guard !token.isCancelled else { return }
        let address = token.address
        runner.engine?.send(
            action,
            by: address.module,
            address.instance,
            from: source("\(file):\(line)")
        )
    }

    /// Sends a command to the screens of the session that this effect works for, with the data of
    /// `payload`. If the effect works for no session, the screens of clients without a session get
    /// the command.
    ///
    /// An effect that is cancelled sends nothing.
    public func command(
        _ name: String,
        _ payload: (any Encodable & Sendable)? = nil,
        file: String = #fileID,
        line: Int = #line
    ) {
        guard !token.isCancelled else { return }
        runner.engine?.sendCommand(name, payload, for: session, from: source("\(file):\(line)"))
    }

    /// Dispatches an action, and waits for the result of the effects that follow it.
    package func resultOfDispatching(
        _ action: any Action,
        file: String,
        line: Int
    ) async throws -> (any Sendable)? {
        let watch = EffectWatch(
            within: token.cause.watch?.watchForDispatchedActions,
            sharing: .nothing
        )
        _ = try await dispatch(action, source("\(file):\(line)", watch))
        return try await watch.result()
    }

    /// Pauses for a duration, on the clock of ``dependencies``.
    public func sleep(for duration: Duration) async throws {
        try await dependencies.clock.sleep(for: duration)
    }
}

extension EffectContext {
    /// Dispatches an action of the module, and waits until it is durable.
    private func dispatch(
        _ action: any Action,
        _ source: ActionSource
    ) async throws(DispatchError) -> UInt64 {
        guard !Task.isCancelled, !token.isCancelled, let engine = runner.engine else {
            throw .cancelled
        }
        let address = token.address
        return try await engine.submit(action, by: address.module, address.instance, from: source)
    }

    /// Returns the origin of a dispatch. `watch` waits for the consequences of the dispatch.
    /// Without `watch`, the consequences and their failures belong to this effect's own watch.
    private func source(_ place: String, _ watch: EffectWatch? = nil) -> ActionSource {
        let own = token.cause.watch?.watchForDispatchedActions
        return token.cause.makeActionSource(
            place,
            token,
            watch ?? own.map { EffectWatch(within: $0, sharing: .failures) }
        )
    }
}

/// The error of an effect that asked for the wrong type of root state.
public struct ForeignState: Error, Equatable, CustomStringConvertible {
    /// The type that the effect asked for.
    public let askedType: String
    /// The type of the store's state.
    public let actualType: String

    /// The text of the error, with the call that reads the store's state.
    public var description: String {
        "an effect asked for the state \(askedType), but the store has \(actualType); "
            + "call context.state(of: \(actualType).self)"
    }
}
