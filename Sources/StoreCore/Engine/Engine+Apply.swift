extension Engine {
    /// The short way of a single action where nothing is appended or encoded.
    @inline(__always)
    func apply(_ action: any Action) {
        if isIntercepted { return run(.action(action)) }
        var released: [@Sendable () -> Void] = []
        if hasMiddleware { released = before(action, type: nil) }
        do { _ = try reduce(&state, action) } catch { return }
        version &+= 1
        for run in released { run() }
        notify(state)
    }

    /// The short way of a single action whose dispatcher waits.
    func apply(
        _ action: any Action,
        reportingTo continuation: CheckedContinuation<Dispatched<State>, any Error>
    ) {
        if isIntercepted {
            run(
                Envelope(
                    members: [
                        EnvelopeMember(action: action, type: String(describing: type(of: action)))
                    ],
                    wantsState: true,
                    completion: WaitingDispatch(continuation)
                )
            )
            return commit()
        }
        var released: [@Sendable () -> Void] = []
        if hasMiddleware { released = before(action, type: nil) }
        do {
            _ = try reduce(&state, action)
        } catch {
            continuation.resume(throwing: Refusal(error))
            return
        }
        version &+= 1
        for run in released { run() }
        notify(state)
        continuation.resume(returning: Dispatched(version: version, state: state))
    }

    /// The long way of one item: into the batch.
    func run(_ item: Mailbox.Item) {
        switch item {
        case .action(let action):
            guard let member = try? member(of: action) else { return }
            run(Envelope(members: [member], completion: Unheard()))
        case .awaited(let action, let continuation):
            // Safety: the engine that put the object in is this one; so below.
            let waiting = unsafeDowncast(continuation, to: EngineContinuation<State>.self)
            apply(action, reportingTo: waiting.continuation)
        case .envelope(let envelope):
            run(unsafeDowncast(envelope, to: Envelope<State>.self))
        case .task(let task):
            // Who joins or leaves does so at a point that is durable.
            commit()
            unsafeDowncast(task, to: EngineTask<State>.self).run(self)
        }
        if batch.actions >= configuration.batchMax { commit() }
    }

    /// Works one envelope into the batch.
    func run(_ envelope: Envelope<State>) {
        if let audience = envelope.audience {
            commit()
            batch.audience = audience
        }
        let outcome = outcome(of: envelope)
        batch.outcomes.append((envelope, outcome))
        if let watch = envelope.watch { batch.watches.append(watch) }
        if envelope.endsBatch || envelope.audience != nil || !batch.effects.isEmpty { commit() }
    }

    private func outcome(of envelope: Envelope<State>) -> Outcome<State> {
        if hasFailed { return .failed(.closed) }
        if envelope.source?.token?.isCancelled == true { return .cancelled }
        if let idempotency = envelope.idempotency {
            do throws(JournalError) {
                if let known = try kept(idempotency.key) {
                    return known.fingerprint == idempotency.fingerprint
                        ? .replayed(known) : .keyTaken
                }
            } catch {
                return .failed(.unreadable)
            }
        }
        if let expected = envelope.expectedVersion, expected != version {
            return .versionMismatch(current: version)
        }
        if envelope.mode == .dryRun { return dryRun(envelope) }
        let first = version + 1
        switch applyAll(envelope) {
        case .success(let changed):
            if let idempotency = envelope.idempotency {
                keep(idempotency, first, changed)
            }
            return .applied(
                first: first,
                last: version,
                changed: changed,
                state: envelope.wantsState ? state : nil
            )
        case .failure(let refused):
            return .refused(refused.refusal, member: refused.member)
        }
    }

    /// What became of the request with this key: in this batch, or long ago.
    private func kept(_ key: IdempotencyKey) throws(JournalError) -> KeptOutcome? {
        if let pending = batch.kept[key] { return pending }
        return try configuration.journal?.outcome(of: key)
    }

    private func keep(_ idempotency: Idempotency, _ first: UInt64, _ changed: Bool) {
        batch.kept[idempotency.key] = KeptOutcome(
            key: idempotency.key,
            fingerprint: idempotency.fingerprint,
            first: first,
            last: version,
            changed: changed,
            time: (configuration.keyClock ?? configuration.clock).now()
        )
    }

    private func dryRun(_ envelope: Envelope<State>) -> Outcome<State> {
        var copy = state
        var known: Bool?
        for (index, member) in envelope.members.enumerated() {
            do {
                if let changed = try reduce(&copy, member.action, from: envelope.sessions) {
                    known = known == true || changed
                }
            } catch {
                return .refused(Refusal(error), member: index)
            }
        }
        return .dryRun(
            changed: known ?? configuration.changed?(state, copy) ?? true,
            before: state,
            after: copy
        )
    }
}

/// Which member was refused, and why.
private struct RefusedMember: Error {
    let refusal: Refusal
    let member: Int
}

extension Engine {
    /// Applies all members or none. Answers whether any of them changed the state.
    private func applyAll(_ envelope: Envelope<State>) -> Result<Bool, RefusedMember> {
        let members = envelope.members
        if hasFailed { return .failure(RefusedMember(refusal: .failed, member: 0)) }
        if batch.baseState == nil, canRollBack { batch.baseState = state }
        // What is to be forgotten when a later member is refused.
        let undo = members.count > 1 || interceptors.count > 0 ? state : nil
        let mark = (
            records: batch.records.count, after: batch.afterCommit.count,
            observed: batch.observed.count, effects: batch.effects.count,
            reactions: batch.reactions.count, applied: batch.applied.count,
            actions: batch.actions, version: version
        )
        var anyChanged = false
        for (index, member) in members.enumerated() {
            do {
                if interceptors.count > 0 {
                    let changed = try applyIntercepted(member, of: envelope)
                    anyChanged = anyChanged || changed
                } else {
                    let changed = try applyOne(member, of: envelope)
                    anyChanged = anyChanged || changed
                }
            } catch {
                if let undo { state = undo }
                version = mark.version
                batch.records.removeSubrange(mark.records...)
                batch.afterCommit.removeSubrange(mark.after...)
                batch.observed.removeSubrange(mark.observed...)
                batch.effects.removeSubrange(mark.effects...)
                batch.reactions.removeSubrange(mark.reactions...)
                batch.applied.removeSubrange(mark.applied...)
                batch.actions = mark.actions
                return .failure(RefusedMember(refusal: Refusal(error), member: index))
            }
        }
        tellSink(members.count, anyChanged)
        return .success(anyChanged)
    }

    /// Stamps, shows to middleware, reduces and records one action.
    func applyOne(
        _ member: Envelope<State>.Member,
        of envelope: Envelope<State>
    ) throws -> Bool {
        let time = configuration.clock.now()
        let released =
            hasMiddleware
            ? before(member.action, type: member.type, time: time, meta: member.meta, envelope)
            : []
        configuration.progress?.begin(member.type, version + 1)
        defer { configuration.progress?.end() }
        let before = reactions.count > 0 ? state : nil
        let began = configuration.applied == nil ? nil : ContinuousClock.now
        let changed: Bool
        if let differs = configuration.changed {
            let old = state
            changed =
                try reduce(&state, member.action, from: envelope.sessions) ?? differs(old, state)
        } else {
            changed = try reduce(&state, member.action, from: envelope.sessions) ?? true
        }
        version += 1
        batch.actions += 1
        if changed { batch.hasChanged = true }
        if let began {
            batch.applied.append(
                AppliedAction(
                    version: version,
                    type: member.type,
                    changed: changed,
                    duration: began.duration(to: .now)
                )
            )
        }
        note(effectsOf: member.action, envelope)
        if let before { react(to: member.action, before, changed, envelope.sessions) }
        if !released.isEmpty { batch.afterCommit += released }
        if isObserved { batch.observed.append(state) }
        if configuration.journal != nil {
            batch.records.append(
                Record(
                    version: version,
                    time: time,
                    type: member.type,
                    payload: member.payload,
                    meta: member.meta,
                    principal: envelope.principal,
                    requestID: envelope.requestID,
                    changed: changed,
                    cause: envelope.source?.cause,
                    origin: envelope.origin
                )
            )
        }
        return changed
    }

    /// A whole array is one step to the sink: its versions in between were never current.
    private func tellSink(_ count: Int, _ changed: Bool) {
        configuration.sink?.reduced(state, version: version, changed: changed)
    }

    /// Runs the reducer; a state that it leaves half changed by throwing is restored. Answers whether
    /// the state changed, where that is known.
    @inline(__always)
    func reduce(
        _ state: inout State,
        _ action: any Action,
        from sessions: [String] = []
    ) throws -> Bool? {
        switch form {
        case .returning(let reducer): state = reducer(state, action)
        case .mutating(let reducer): reducer(&state, action)
        case .throwing(let reducer):
            var copy = state
            try reducer(&copy, action)
            state = copy
        case .machine(let machine):
            return try machine.reduce(&state, action, version: version + 1, from: sessions)
        }
        return nil
    }

    /// Notes what a module wants done after the action that was just reduced.
    private func note(effectsOf action: any Action, _ envelope: Envelope<State>) {
        guard case .machine(let machine) = form, configuration.effects != nil,
            let effect = machine.effect(after: action, in: state)
        else { return }
        let cause = EffectCause(
            version: version,
            watch: envelope.watch,
            sessions: envelope.sessions
        )
        batch.effects.append((effect, cause))
    }

    /// What the journal keeps of an action that was dispatched in process.
    func member(of action: any Action) throws -> EnvelopeMember {
        try configuration.member?(action)
            ?? EnvelopeMember(action: action, type: String(describing: type(of: action)))
    }

    /// Runs middleware. Answers what is to be done after the commit.
    private func before(
        _ action: any Action,
        type: String?,
        time: Int64? = nil,
        meta: [UInt8]? = nil,
        _ envelope: Envelope<State>? = nil
    ) -> [@Sendable () -> Void] {
        let stamped = StampedAction(
            action: action,
            version: version + 1,
            time: time ?? configuration.clock.now(),
            type: type ?? String(describing: Swift.type(of: action)),
            meta: meta,
            principal: envelope?.principal,
            requestID: envelope?.requestID,
            cause: envelope?.source?.cause,
            origin: envelope?.origin
        )
        var released: [@Sendable () -> Void] = []
        for subscription in middleware where subscription.isActive {
            if let after = subscription.handler(state, stamped) { released.append(after) }
        }
        return released
    }
}

extension Refusal {
    /// What a reducer threw: its refusal, or whatever else, put into words.
    package init(_ error: any Error) {
        self = error as? Refusal ?? Refusal(reason: "\(error)")
    }

    fileprivate static let failed = Refusal(reason: "The store has failed and takes no actions.")
}
