public import StoreCore
public import Testing

extension TestStore {
    /// Dispatches an action, and compares the state that it leads to with that of the closure.
    ///
    /// Returns when effects and presenters have done what they can.
    ///
    /// - Parameters:
    ///   - action: any action that the store's modules take.
    ///   - principal: who sends it, the role and the name: `author/u1`. Interceptors and middleware
    ///     get it, and the store's policy asks for it. None where it is left out.
    ///   - session: the session that it comes from, by its name; none where it is left out.
    ///   - change: changes the state as the action should; none where it should not. A store that
    ///     is not exhaustive gives it the state after the action: what it sets is compared.
    ///   - place: where a failure is reported.
    public nonisolated(nonsending) func send(
        _ action: any Action,
        as principal: String? = nil,
        session: String? = nil,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        guard begin(action, at: place) else { return }
        do {
            let sender = try TestSender(principal, session)
            let done = try await dispatch(action, sender, EffectWatch())
            report(
                unstated: events.take(before: done.version),
                before: "\(ActionText.of(action)) was applied",
                at: place
            )
            accept(action, done.state, change, "send", at: place)
        } catch let refusal as Refusal {
            check("send").refused(action, refusal, at: place)
        } catch {
            fail("\(ActionText.of(action)) could not be dispatched: \(error)", nil, at: place)
        }
        await rest(at: place)
    }

    /// Dispatches an action that the reducer or the policy has to refuse, and leaves the state as
    /// it was.
    ///
    /// - Parameters:
    ///   - action: any action that the store's modules take.
    ///   - principal: who sends it, as `author/u1`.
    ///   - session: the session that it comes from.
    ///   - reason: the refusal's reason, word for word.
    ///   - pointer: which member of the action is at fault; not looked at where it is left out.
    ///   - place: where a failure is reported.
    public nonisolated(nonsending) func send(
        _ action: any Action,
        as principal: String? = nil,
        session: String? = nil,
        refused reason: String,
        pointer: String? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await refuse(action, (principal, session), (reason, pointer), at: place)
    }

    /// Dispatches an action that has to be refused.
    private nonisolated(nonsending) func refuse(
        _ action: any Action,
        _ sender: (principal: String?, session: String?),
        _ stated: (reason: String, pointer: String?),
        at place: SourceLocation
    ) async {
        guard begin(action, at: place) else { return }
        do {
            let sender = try TestSender(sender.principal, sender.session)
            let done = try await dispatch(action, sender, EffectWatch())
            state = done.state
            check("send").applied(action, insteadOf: stated.reason, at: place)
        } catch let refusal as Refusal {
            coverage?.note(action)
            check("send").refused(action, refusal, for: stated.reason, stated.pointer, at: place)
        } catch {
            fail("\(ActionText.of(action)) could not be dispatched: \(error)", nil, at: place)
        }
        await rest(at: place)
    }

    /// Whether the store can take an action; what has happened so far has to be stated before.
    func begin(_ action: any Action, at place: SourceLocation) -> Bool {
        reportUnprepared(at: place)
        report(unstated: events.take(), before: "\(ActionText.of(action)) is sent", at: place)
        if isIntercepted || isActionOfModules(action) { return true }
        check("send").unknown(action, modules, at: place)
        return false
    }
}

extension TestStore where Subject: Module, Subject.State == State {
    /// Dispatches one of the module's public actions; see
    /// ``send(_:as:session:_:at:)-(Action,_,_,_,_)``.
    public nonisolated(nonsending) func send(
        _ action: Subject.Interface.Action,
        as principal: String? = nil,
        session: String? = nil,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await send(action as any Action, as: principal, session: session, change, at: place)
    }

    /// Dispatches an action of one of the module's views; see
    /// ``send(_:as:session:_:at:)-(Action,_,_,_,_)``.
    public nonisolated(nonsending) func send(
        _ action: Subject.UI,
        as principal: String? = nil,
        session: String? = nil,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await send(action as any Action, as: principal, session: session, change, at: place)
    }

    /// Dispatches one of the module's own actions; see
    /// ``send(_:as:session:_:at:)-(Action,_,_,_,_)``.
    public nonisolated(nonsending) func send(
        _ action: Subject.Internal,
        as principal: String? = nil,
        session: String? = nil,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await send(action as any Action, as: principal, session: session, change, at: place)
    }

    /// Dispatches one of the module's public actions, which has to be refused.
    public nonisolated(nonsending) func send(
        _ action: Subject.Interface.Action,
        as principal: String? = nil,
        session: String? = nil,
        refused reason: String,
        pointer: String? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await refuse(action, (principal, session), (reason, pointer), at: place)
    }

    /// Dispatches an action of one of the module's views, which has to be refused.
    public nonisolated(nonsending) func send(
        _ action: Subject.UI,
        as principal: String? = nil,
        session: String? = nil,
        refused reason: String,
        pointer: String? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await refuse(action, (principal, session), (reason, pointer), at: place)
    }

    /// Dispatches one of the module's own actions, which has to be refused.
    public nonisolated(nonsending) func send(
        _ action: Subject.Internal,
        as principal: String? = nil,
        session: String? = nil,
        refused reason: String,
        pointer: String? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await refuse(action, (principal, session), (reason, pointer), at: place)
    }
}
