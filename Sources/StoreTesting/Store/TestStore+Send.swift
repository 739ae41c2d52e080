public import StoreCore
public import StorePatterns
public import Testing

extension TestStore {
    /// Dispatches an action, and compares its outcome with the change or the refusal that the test
    /// states.
    ///
    /// Returns when all effects and presenters have ended or wait for something.
    ///
    /// - Parameters:
    ///   - action: any action of the store's modules.
    ///   - principal: the sender, as role and name: `author/u1`. Interceptors, middleware and the
    ///     store's policy get the principal. By default the action has no principal.
    ///   - session: the name of the session that sends the action; by default no session.
    ///   - reason: the exact reason if the reducer or the policy has to refuse the action. A
    ///     refused action does not change the state.
    ///   - pointer: the faulty member of the refused action; not compared if `pointer` is left out.
    ///   - change: changes the state as the action should. Leave the closure out if the action
    ///     changes nothing. If the store is not exhaustive, the closure gets the state after the
    ///     action, and only the changes of the closure are compared.
    ///   - place: the source location at which a failure is reported.
    public nonisolated(nonsending) func send(
        _ action: any Action,
        as principal: String? = nil,
        session: String? = nil,
        refused reason: String? = nil,
        pointer: String? = nil,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        let stated = StatedOutcome(refusalReason: reason, refusalPointer: pointer, change: change)
        await send(action, (principal, session), stating: stated, at: place)
    }

    private nonisolated(nonsending) func send(
        _ action: any Action,
        _ sender: (principal: String?, session: String?),
        stating stated: StatedOutcome<State>,
        at place: SourceLocation
    ) async {
        guard prepareToSend(action, at: place) else { return }
        do {
            let sender = try TestSender(sender.principal, sender.session)
            let done = try await dispatch(action, sender, EffectWatch())
            report(
                unstated: events.take(before: done.version),
                before: "\(ActionText.of(action)) was applied",
                at: place
            )
            compareAndAdopt(action, done.state, stated, "send", at: place)
        } catch {
            if let refusal = error.refusal {
                coverage?.markExercised(action)
                stateCheck(for: "send").checkRefused(action, refusal, as: stated, at: place)
            } else {
                reporter.fail(
                    "\(ActionText.of(action)) could not be dispatched: \(error)",
                    at: place
                )
            }
        }
        await waitUntilIdle(at: place)
    }

    /// Returns true if the store takes this action. Reports the earlier events that the test did
    /// not state.
    func prepareToSend(_ action: any Action, at place: SourceLocation) -> Bool {
        reportUnpreparedDependencies(at: place)
        report(unstated: events.take(), before: "\(ActionText.of(action)) is sent", at: place)
        if hasInterceptor || isActionOfModules(action) { return true }
        stateCheck(for: "send").reportUnknown(action, quotedModuleNames, at: place)
        return false
    }

    /// Dispatches a side effect, and returns its value when all work that follows from the side
    /// effect is done. With `instance`, dispatches the side effect to this instance of the module.
    ///
    /// ```swift
    /// #expect(try await store.value(of: Multiply(a: 6, b: 7)) == 42)
    /// ```
    ///
    /// Waits for at most ``timeout``. If the side effect sleeps on a clock that stands still, use
    /// `send` instead. The test then has to receive the actions that the side effect dispatched.
    ///
    /// - Throws: the error of the side effect, or the refusal of its dispatch. The error does not
    ///   fail the test by itself: a test states the error with `#expect(throws:)`.
    public nonisolated(nonsending) func value<E: SideEffect>(
        of effect: E,
        to instance: String? = nil,
        as principal: String? = nil,
        session: String? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async throws -> E.Value {
        let action: any Action = instance.map { effect.to($0) } ?? effect
        let sender = try TestSender(principal, session)
        guard prepareToSend(action, at: place) else { throw CancellationError() }
        let watch = EffectWatch()
        let done = try await dispatch(action, sender, watch)
        compareAndAdopt(action, done.state, StatedOutcome(), "send", at: place)
        let results = Recorder<Result<any Sendable, any Error>?>()
        watch.whenDone(results.record)
        let result: Result<any Sendable, any Error>?
        do {
            result = try await results.next(within: timeout)
        } catch {
            reporter.fail(
                "\(ActionText.of(action)) gave no value within \(timeout).",
                "If it waits for a clock, send it, and advance the clock.",
                at: place
            )
            throw error
        }
        await waitUntilIdle(at: place)
        if case .failure(let error) = result {
            events.removeFailures(after: done.version)
            throw error
        }
        guard let value = try result?.get() as? E.Value else { throw CancellationError() }
        return value
    }
}

extension TestStore where Subject: Module, Subject.State == State {
    /// Dispatches one of the module's public actions; see
    /// ``send(_:as:session:refused:pointer:_:at:)-(Action,_,_,_,_,_,_)``.
    public nonisolated(nonsending) func send(
        _ action: Subject.Interface.Action,
        as principal: String? = nil,
        session: String? = nil,
        refused reason: String? = nil,
        pointer: String? = nil,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        let stated = StatedOutcome(refusalReason: reason, refusalPointer: pointer, change: change)
        await send(action, (principal, session), stating: stated, at: place)
    }

    /// Dispatches an action of one of the module's views; see
    /// ``send(_:as:session:refused:pointer:_:at:)-(Action,_,_,_,_,_,_)``.
    public nonisolated(nonsending) func send(
        _ action: Subject.UI,
        as principal: String? = nil,
        session: String? = nil,
        refused reason: String? = nil,
        pointer: String? = nil,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        let stated = StatedOutcome(refusalReason: reason, refusalPointer: pointer, change: change)
        await send(action, (principal, session), stating: stated, at: place)
    }

    /// Dispatches one of the module's internal actions; see
    /// ``send(_:as:session:refused:pointer:_:at:)-(Action,_,_,_,_,_,_)``.
    public nonisolated(nonsending) func send(
        _ action: Subject.Internal,
        as principal: String? = nil,
        session: String? = nil,
        refused reason: String? = nil,
        pointer: String? = nil,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        let stated = StatedOutcome(refusalReason: reason, refusalPointer: pointer, change: change)
        await send(action, (principal, session), stating: stated, at: place)
    }
}
