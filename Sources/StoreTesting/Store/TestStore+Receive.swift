public import StoreCore
public import StorePatterns
public import Testing

extension TestStore {
    /// States the next action that an effect or a presenter dispatched, and the change of the
    /// state.
    ///
    /// Waits for the action, for at most ``timeout``.
    ///
    /// - Parameters:
    ///   - action: the expected action, compared by `==`.
    ///   - change: changes the state as for `send`.
    ///   - place: the source location at which a failure is reported.
    public nonisolated(nonsending) func receive<A: Action & Equatable>(
        _ action: A,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await receive(stated: action, change, at: place)
    }

    /// States the next action, which is addressed to an instance.
    public nonisolated(nonsending) func receive(
        _ action: AddressedAction,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await receive(stated: action, change, at: place)
    }

    /// States the type of the next action.
    public nonisolated(nonsending) func receive<A: Action>(
        _ type: A.Type,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await receive(type, where: { _ in true }, change, at: place)
    }

    /// States the type of the next action, and a condition that the action meets.
    ///
    /// ```swift
    /// await store.receive(Home.Internal.self, where: \.isLoaded) {
    ///     $0 = Home.State(titles: ["Fresh"])
    /// }
    /// ```
    public nonisolated(nonsending) func receive<A: Action>(
        _ type: A.Type,
        where isMeant: (A) -> Bool,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await receive(event: "an action of \(TypeText.of(type))", change, at: place) { form in
            (form.action as? A).map(isMeant) ?? false
        }
    }

    /// States that the next event is this error of an effect. For a refused dispatch of an effect,
    /// the error is the refusal.
    public nonisolated(nonsending) func receive<E: Error & Equatable>(
        failure error: E,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await receive(event: "the failure \(error)", nil, at: place) { form in
            form.failure as? E ?? form.failure?.refusal as? E == error
        }
    }

    /// States that the next event is an effect's error of this type. For a refused dispatch of an
    /// effect, the error has the type `Refusal`.
    public nonisolated(nonsending) func receive<E: Error>(
        failure type: E.Type,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await receive(event: "a failure of \(TypeText.of(type))", nil, at: place) { form in
            form.failure is E || form.failure?.refusal is E
        }
    }

    private nonisolated(nonsending) func receive(
        stated action: any Action,
        _ change: ((inout State) throws -> Void)?,
        at place: SourceLocation
    ) async {
        await receive(event: ActionText.of(action), change, at: place) { form in
            form.action.map { isEqual($0, action) } ?? false
        }
    }

    private nonisolated(nonsending) func receive(
        event name: String,
        _ change: ((inout State) throws -> Void)?,
        at place: SourceLocation,
        where isMeant: (TestEvent<State>.Kind) -> Bool
    ) async {
        var skipped: [TestEvent<State>] = []
        while await changes.wait(within: timeout, until: { !events.isEmpty }) {
            guard let event = events.takeNext() else { continue }
            if event.isUnpreparedFailure {
                reporter.fail(text(of: event), at: place)
                return
            }
            if isMeant(event.kind) {
                report(unstated: skipped, before: "\(name) came", at: place)
                if case .action(let action, let state) = event.kind {
                    compareAndAdopt(
                        action,
                        state,
                        StatedOutcome(change: change),
                        "receive",
                        at: place
                    )
                }
                await waitUntilIdle(at: place)
                return
            }
            guard exhaustivity != .on else {
                reporter.fail(
                    "Another event came than the stated event.\n\n"
                        + "−   \(name)\n+   \(text(of: event))",
                    "−: stated, +: is",
                    at: place
                )
                adoptState(after: event)
                return
            }
            skipped.append(event)
        }
        report(unstated: skipped, before: "waiting ended", at: place)
        let running = runner.runningEffects.map { "\n  \(text(of: $0))" }.joined()
        reporter.fail(
            "\(name) was expected; nothing came within \(timeout).",
            running.isEmpty
                ? "No effect runs that could dispatch it."
                : "These effects may still dispatch it; advance their clock:\n\(running)",
            at: place
        )
    }
}

extension TestStore where Subject: Module, Subject.State == State {
    /// States the next action, a public action of the module.
    public nonisolated(nonsending) func receive(
        _ action: Subject.Interface.Action,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await receive(stated: action, change, at: place)
    }

    /// States the next action, an action of the module's views.
    public nonisolated(nonsending) func receive(
        _ action: Subject.UI,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await receive(stated: action, change, at: place)
    }

    /// States the next action, an internal action of the module.
    public nonisolated(nonsending) func receive(
        _ action: Subject.Internal,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await receive(stated: action, change, at: place)
    }
}

/// Returns true if two actions have the same type and are equal; `false` if the type is not
/// `Equatable`.
private func isEqual(_ a: any Action, _ b: any Action) -> Bool {
    if let a = a as? AddressedAction, let b = b as? AddressedAction {
        return a.instance.isSame(as: b.instance) && isEqual(a.action, b.action)
    }
    func compare<A: Equatable>(_ a: A) -> Bool { a == b as? A }
    guard let a = a as? any Equatable else { return false }
    return compare(a)
}

// Reactions

extension TestStore where Subject == State, State: RootState {
    /// Adds an interceptor, which is called after the existing interceptors.
    ///
    /// A test states all resulting changes in a single `send`. The changes include those of a
    /// replacement for the sent action, and those of the added actions.
    public func add(interceptor: @escaping Interceptor<State>) {
        hasInterceptor = true
        (core as? Core<State>)?.add(interceptor: interceptor)
    }

    /// Adds a reaction. The test has to receive the actions that the reaction dispatches, even if
    /// the reaction follows the start.
    public func add(reaction: Reaction<State>) {
        if case .notification(let name, _, let react) = reaction.trigger {
            notificationHandlers.append(
                .init(name: name, sourceLocation: reaction.sourceLocation, react: react)
            )
        }
        (core as? Core<State>)?.add(reaction: reaction)
    }

    /// Sends a notification to the store, as `POST /notify/<name>` does.
    ///
    /// ```swift
    /// await store.notify("stock", StockLevel(level: 3))
    /// await store.receive(StockChanged(level: 3)) { $0.stock.level = 3 }
    /// ```
    public nonisolated(nonsending) func notify(
        _ name: String,
        _ payload: any Sendable,
        at place: SourceLocation = #_sourceLocation
    ) async {
        let meant = notificationHandlers.filter { $0.name == name }
        if meant.isEmpty {
            reporter.fail(
                "No reaction follows '\(name)'.",
                "Add it: store.add(reaction: …)",
                at: place
            )
        }
        report(unstated: events.take(), before: "'\(name)' is notified", at: place)
        for notification in meant {
            guard let action = notification.react(payload) else { continue }
            let source = ActionSource(sourceLocation: notification.sourceLocation)
            (core as? Core<State>)?.engine.dispatchProgramAction(action, from: source)
        }
        await waitUntilIdle(at: place)
    }
}

// The end

extension TestStore {
    /// Waits for the end of all effects, for at most ``timeout``. Reports events that the test has
    /// not stated. Reports and cancels the effects that still run.
    public nonisolated(nonsending) func finish(at place: SourceLocation = #_sourceLocation) async {
        await waitUntilIdle(at: place)
        let hasEnded = await changes.wait(within: timeout) { runner.runningEffects.isEmpty }
        reportUnpreparedDependencies(at: place)
        report(unstated: events.take(), before: "the test finished", at: place)
        if !hasEnded {
            report(running: runner.runningEffects, "after \(timeout)", at: place)
            runner.cancelAll()
        }
    }

    /// Skips the actions and failures that came so far, without a report. Continues with the
    /// current state.
    public nonisolated(nonsending) func skipReceived(
        at place: SourceLocation = #_sourceLocation
    ) async {
        await waitUntilIdle(at: place)
        for event in events.take() { adoptState(after: event) }
    }

    /// Cancels the running effects.
    public nonisolated(nonsending) func cancelEffects(
        at place: SourceLocation = #_sourceLocation
    ) async {
        runner.cancelAll()
        await waitUntilIdle(at: place)
    }
}
