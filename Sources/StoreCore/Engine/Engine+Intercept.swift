import Synchronization

/// What a reaction makes of an action that was applied; with the place that it is written at.
struct ReactionRun<State> {
    let react: @Sendable (any Action, State, State, _ changed: Bool) -> (any Action)?
    let place: String
}

extension Engine {
    /// Applies what the interceptors make of an action: something else, or more, or nothing at all.
    func applyIntercepted(
        _ member: EnvelopeMember,
        of envelope: Envelope<State>
    ) throws -> Bool {
        var member = member
        var following: [any Action] = []
        var after: [@Sendable (State) -> Void] = []
        for interceptor in interceptors where interceptor.isActive {
            let interception = try interceptor.handler(state, stamped(member, of: envelope))
            if let replacement = interception.replacement {
                member = try self.member(of: replacement)
            }
            following += interception.following
            if let hook = interception.after { after.append(hook) }
        }
        var changed = try applyOne(member, of: envelope)
        for action in following {
            let follows = try applyOne(self.member(of: action), of: envelope)
            changed = changed || follows
        }
        if after.count > 0 {
            batch.afterCommit.append { [state, hooks = after.reversed()] in
                for hook in hooks { hook(state) }
            }
        }
        return changed
    }

    private func stamped(
        _ member: EnvelopeMember,
        of envelope: Envelope<State>
    ) -> StampedAction {
        StampedAction(
            action: member.action,
            version: version + 1,
            time: configuration.clock.now(),
            type: member.type,
            meta: member.meta,
            principal: envelope.principal,
            requestID: envelope.requestID,
            cause: envelope.source?.cause,
            origin: envelope.origin
        )
    }

    /// Notes what the reactions make of an action that was just applied.
    func react(
        to action: any Action,
        _ old: State,
        _ changed: Bool,
        _ sessions: [String]
    ) {
        for reaction in reactions where reaction.isActive {
            guard let answer = reaction.handler.react(action, old, state, changed) else { continue }
            var source = ActionSource(cause: version, place: reaction.handler.place)
            source.sessions = sessions
            batch.reactions.append((answer, source))
        }
    }

    /// Dispatches what the program itself has to say, behind what waits already. Where the Core works.
    ///
    /// - Parameter applied: hears which version it made; `nil` where it was not applied.
    func dispatchOwn(
        _ action: any Action,
        from source: ActionSource,
        applied: (@Sendable (UInt64?) -> Void)? = nil
    ) {
        let watch = source.watch ?? settling
        watch?.begin()
        var type = "\(Swift.type(of: action))"
        do {
            let member = try member(of: action)
            type = member.type
            let envelope = Envelope<State>(
                members: [member],
                source: source,
                watch: watch,
                completion: Unheard(watch, applied: applied) { [unowned self] error in
                    lost(UnheardAction(type: member.type, source: source, reason: error))
                }
            )
            try offer(envelope, isOwn: true)
        } catch {
            watch?.end()
            applied?(nil)
            lost(UnheardAction(type: type, source: source, reason: error))
        }
    }

    private func lost(_ action: UnheardAction) {
        unheard.add(1, ordering: .relaxed)
        configuration.unheard(action)
    }
}

extension Core {
    /// Adds an interceptor behind those that are there.
    ///
    /// - Returns: the command that ends it.
    @discardableResult
    public func add(interceptor: @escaping Interceptor<State>) -> PlainCommand {
        let subscription = Subscription<Interceptor<State>>(handler: interceptor, queue: nil)
        engine.perform { engine in engine.interceptors.append(subscription) }
        return PlainCommand(id: "end interceptor") { [weak engine] in
            guard subscription.end() else { return }
            engine?.perform { engine in engine.interceptors.removeAll { $0 === subscription } }
        }
    }

    /// Adds a reaction; one to the start dispatches at once.
    ///
    /// - Returns: the command that ends it.
    @discardableResult
    public func add(reaction: Reaction<State>) -> PlainCommand {
        let place = reaction.place
        switch reaction.trigger {
        case .start(let react):
            engine.perform { engine in
                guard let action = react() else { return }
                engine.dispatchOwn(action, from: ActionSource(cause: engine.version, place: place))
            }
            return .nop
        case .notification:
            return .nop
        case .stateChange(let react):
            return add(ReactionRun(react: { $3 ? react($1, $2) : nil }, place: place))
        case .dispatch(let react):
            return add(
                ReactionRun(react: { action, old, new, _ in react(action, old, new) }, place: place)
            )
        }
    }

    private func add(_ run: ReactionRun<State>) -> PlainCommand {
        let subscription = Subscription<ReactionRun<State>>(handler: run, queue: nil)
        engine.perform { engine in engine.reactions.append(subscription) }
        return PlainCommand(id: "end reaction") { [weak engine] in
            guard subscription.end() else { return }
            engine?.perform { engine in engine.reactions.removeAll { $0 === subscription } }
        }
    }

    /// Dispatches what the program itself has to say. Any thread.
    ///
    /// - Parameters:
    ///   - sessions: those that it is said for.
    ///   - watch: tells when all that follows is done.
    package func dispatchOwn(
        _ action: any Action,
        at place: String,
        from sessions: [String] = [],
        watch: EffectWatch? = nil
    ) {
        watch?.begin()
        let isTaken = engine.perform { engine in
            var source = ActionSource(cause: engine.version, place: place)
            source.watch = watch
            source.sessions = sessions
            engine.dispatchOwn(action, from: source)
            watch?.end()
        }
        if !isTaken { watch?.end() }
    }
}
