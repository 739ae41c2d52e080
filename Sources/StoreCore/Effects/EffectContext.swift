/// What an effect has to do with: the state, the way back to the Core, and the world.
public struct EffectContext<State: Sendable>: Sendable {
    /// Clock, random source, services: whatever is not computed from the state.
    public let dependencies: Dependencies
    let token: EffectToken
    let runner: EffectRunner
    let read: @Sendable (any Sendable) -> State?

    /// The version of the action that this effect follows.
    public var cause: UInt64 { token.cause.version }

    /// The trace that this effect is a part of, as `traceparent` has it (W3C Trace Context): it
    /// names the effect's own span where the trace is exported, and else what the request named.
    /// `nil` where there is neither. What the effect dispatches is a part of it, and so are its
    /// requests by the HTTP client.
    public var traceparent: String? { token.trace }

    /// The slice as it is now.
    ///
    /// - Throws: `CancellationError` where the effect is cancelled or its slice is gone.
    public func state() async throws -> State {
        let root = await runner.state()
        guard !token.isCancelled, let state = read(root) else { throw CancellationError() }
        return state
    }

    /// The whole state as it is now: of one version, and with all that this effect has dispatched
    /// and awaited.
    ///
    /// It is read on behalf of the session whose action the effect follows: `value` of a
    /// ``PerSession`` is that session's. Where no session is behind it, it is that of the session
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
    /// Cost: a copy of the root state, and one step for each module of which sessions have slices.
    ///
    /// - Parameter root: the type of the store's root state.
    /// - Returns: the state of the newest version.
    /// - Throws: `CancellationError` where the effect is cancelled or the store has ended;
    ///   ``ForeignState`` where the store has another root state.
    public func state<Root: RootState>(of root: Root.Type) async throws -> Root {
        let state = await runner.root(for: token)
        guard !token.isCancelled, !(state is Void) else { throw CancellationError() }
        guard let state = state as? Root else {
            throw ForeignState(asked: "\(Root.self)", actual: "\(type(of: state))")
        }
        return state
    }

    /// Dispatches an action, and waits until it is applied and durable.
    ///
    /// The log shows it with this effect's ``cause`` and the place of the call.
    ///
    /// - Returns: the version that the action made.
    /// - Throws: ``Refusal`` where the reducer refuses, `CancellationError` where the effect is
    ///   cancelled, ``ForeignAction`` for another module's own action, ``MailboxError`` and
    ///   ``CoreFailure`` as `Core.dispatch(_:)`.
    @discardableResult
    public func dispatch(
        _ action: any Action,
        file: String = #fileID,
        line: Int = #line
    ) async throws -> UInt64 {
        try Task.checkCancellation()
        return try await runner.dispatch(
            addressed(action),
            from: token,
            origin: "\(file):\(line)"
        )
    }

    /// Dispatches an action, and goes on without waiting for it: it is in the mailbox, behind what
    /// waits there.
    ///
    /// The log shows it with this effect's ``cause`` and the place of the call, and a client that
    /// waits for effects waits for it, too. Where the reducer refuses it, or the mailbox is full,
    /// it is dropped, logged and counted, as an action of a presenter. An effect that is cancelled
    /// sends nothing.
    public func send(_ action: any Action, file: String = #fileID, line: Int = #line) {
        runner.send(addressed(action), from: token, origin: "\(file):\(line)")
    }

    /// Has the screens of the session that this effect works for do something once; of the clients
    /// without a session, where it works for none. As for presenters.
    ///
    /// An effect that is cancelled sends nothing.
    public func command(_ name: String, file: String = #fileID, line: Int = #line) {
        runner.command(name, nil, from: token, origin: "\(file):\(line)")
    }

    /// The same, with what the screens need for it.
    public func command(
        _ name: String,
        _ payload: some Encodable & Sendable,
        file: String = #fileID,
        line: Int = #line
    ) {
        runner.command(name, payload, from: token, origin: "\(file):\(line)")
    }

    /// Dispatches an action, and waits for what the effects that follow it give.
    package func result(
        of action: any Action,
        file: String,
        line: Int
    ) async throws -> (any Sendable)? {
        try Task.checkCancellation()
        return try await runner.value(
            of: addressed(action),
            from: token,
            origin: "\(file):\(line)"
        )
    }

    /// Pauses on the clock of ``dependencies``.
    public func sleep(for duration: Duration) async throws {
        try await dependencies.clock.sleep(for: duration)
    }

    /// One instance's effects speak to that instance.
    private func addressed(_ action: any Action) -> any Action {
        guard let instance = token.address.instance, !(action is AddressedAction),
            runner.isOwn(action, of: token.address.module)
        else { return action }
        return action.to(instance)
    }
}

/// An effect asked for a root state that its store does not have.
public struct ForeignState: Error, Equatable, CustomStringConvertible {
    /// The type that was asked for.
    public let asked: String
    /// The type of the store's state.
    public let actual: String

    /// What was asked for, and what to do.
    public var description: String {
        "an effect asked for the state \(asked), and the store has \(actual); "
            + "ask for that: context.state(of: \(actual).self)"
    }
}
