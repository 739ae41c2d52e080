import StorePlatform
import StoreTraces

extension Engine {
    /// Works one envelope into the batch.
    func run(_ envelope: Envelope) {
        if let audience = envelope.audience {
            commit()
            batch.audience = audience
        }
        var mark = batch.steps.count
        if isTraced { envelope.span?.taken = .now }
        let outcome = outcome(of: envelope, from: &mark)
        if isTraced { envelope.span?.reduced = .now }
        batch.outcomes.append(.init(envelope: envelope, outcome: outcome))
        if envelope.endsBatch || envelope.audience != nil || hasEffects(since: mark) { commit() }
    }

    /// An effect that was cancelled dispatches nothing any more, and that is so from the commit on.
    private func hasEffects(since mark: Int) -> Bool {
        for index in mark..<batch.steps.count where batch.steps[index].effect != nil { return true }
        return false
    }

    /// What becomes of an envelope, on a state that is not older than what its request refers to.
    /// Sets `mark` to where its steps begin.
    private func outcome(of envelope: Envelope, from mark: inout Int) -> Outcome {
        let outcome = outcome(of: envelope)
        guard isBehind(envelope, outcome) else { return outcome }
        catchUp()
        batch.audience = envelope.audience
        mark = batch.steps.count
        return self.outcome(of: envelope)
    }

    private func outcome(of envelope: Envelope) -> Outcome {
        if hasFailed { return .failed(.journalFailed) }
        if envelope.source?.token?.isCancelled == true { return .cancelled }
        if let idempotency = envelope.idempotency {
            do throws(JournalError) {
                if let known = try outcome(of: idempotency.key) {
                    return known.fingerprint == idempotency.fingerprint
                        ? .replayed(known) : .keyTaken
                }
            } catch {
                return .failed(.unreadable)
            }
        }
        if let condition = envelope.condition, condition.version != version,
            !isMet(condition, for: envelope.session)
        {
            return .versionMismatch(current: version)
        }
        return reduce(envelope)
    }

    /// Whether nothing has changed, since the version of a condition, that the condition is about.
    private func isMet(_ condition: VersionCondition, for session: String?) -> Bool {
        let since = condition.version
        guard since < version else { return false }
        switch condition.scope {
        case .version: return false
        case .visible(nil):
            guard hasSessions else { return false }
            noteSteps()
            return seen?.isSame(for: session, since: since) == true
        case .visible(let sees?):
            noteSteps()
            return seen?.isSame(for: session, seeing: sees, since: since) == true
        case .members(let members):
            noteMembers()
            return seen?.isSame(for: session, seeing: members, since: since) == true
        }
    }

    /// Notes what the steps of the batch have changed, and from the first such condition on, which
    /// members: most stores never need that.
    private func noteMembers() {
        noteSteps()
        if seen == nil { seen = SeenVersions(after: version, byModule: true) }
        seen?.beginModules()
    }

    /// Reduces all members: each leaves its step in the batch. Where one is refused, or where all
    /// of it is a dry run, the state and the batch are as before.
    private func reduce(_ envelope: Envelope) -> Outcome {
        let isDry = envelope.mode == .dryRun
        let savepoint = Savepoint(steps: batch.steps.count, kept: owner.keptCount)
        // A single action that is refused has changed nothing.
        let saves = isDry || envelope.members.count > 1 || counts.interceptors > 0
        if saves { owner.save() }
        owner.show(to: envelope.session)
        waitsSince = envelope.offered
        for index in envelope.members.indices {
            do {
                try apply(index, of: envelope)
            } catch {
                if saves { restore(savepoint) }
                return .refused(refusal(error, envelope.members[index], envelope), member: index)
            }
        }
        let changed = hasChange(since: savepoint.steps)
        var seen = changed
        // Not by `map`, which would wrap the function once more.
        if let sees = envelope.sees { seen = hasChange(since: savepoint.steps, seenBy: sees) }
        if isDry { return dryRun(savepoint, seen) }
        let first = batch.base + UInt64(savepoint.steps) + 1
        if let idempotency = envelope.idempotency {
            keep(idempotency, first: first, changed: seen)
        }
        owner.reduced(version: version, batch.steps, from: savepoint.steps, changed: changed)
        return .applied(
            first: first,
            last: version,
            changed: seen,
            state: envelope.wantsState ? AskedState(owner.state) : nil
        )
    }

    /// How far the batch had come before an envelope.
    private struct Savepoint {
        let steps: Int
        let kept: Int
    }

    private func restore(_ savepoint: Savepoint) {
        owner.restore(keeping: savepoint.kept)
        batch.steps.removeSubrange(savepoint.steps...)
    }

    private func hasChange(since mark: Int) -> Bool {
        for index in mark..<batch.steps.count where batch.steps[index].change.isChange {
            return true
        }
        return false
    }

    /// The same for a client that sees some of the modules.
    private func hasChange(since mark: Int, seenBy sees: (Int) -> Bool) -> Bool {
        batch.steps.withUnsafeBufferPointer { steps in
            (mark..<steps.count).contains { steps[$0].change.touches.hasChange(where: sees) }
        }
    }

    private func dryRun(_ savepoint: Savepoint, _ changed: Bool) -> Outcome {
        let after = owner.state
        let touches = batch.steps[savepoint.steps...].flatMap(\.change.touches)
        restore(savepoint)
        return .dryRun(
            DryRun(
                changed: changed,
                version: version,
                before: owner.state,
                after: after,
                touches: touches
            )
        )
    }

    private func keep(_ idempotency: Idempotency, first: UInt64, changed: Bool) {
        batch.keys[idempotency.key] = KeptOutcome(
            key: idempotency.key,
            fingerprint: idempotency.fingerprint,
            first: first,
            last: version,
            changed: changed,
            time: (ports.keyClock ?? ports.clock).now()
        )
    }
}

// One action

extension Engine {
    /// Applies an action, or what the interceptors make of it: something else, or more.
    private func apply(_ place: Int, of envelope: Envelope) throws {
        let time = ports.clock.now()
        var member = ReducedMember(envelope: envelope, place: place)
        guard counts.interceptors > 0 else { return try reduce(member, at: time) }
        // Interceptors see the whole state; so a refusal of theirs, or of what they chose, is none
        // of the module that the client's action is for.
        var isClients = false
        // What they make of the action is a part of its trace.
        let trace = TraceContext.parent(of: member.meta)
        let hooks: [@Sendable (any Sendable) -> Void]
        do {
            let intercepted = try owner.intercept { action in
                if let action {
                    member.replacement = .init(try self.member(of: action).traced(trace))
                }
                return stamped(member, at: time)
            }
            hooks = intercepted.hooks
            isClients = member.replacement == nil
            try reduce(member, at: time)
            isClients = false
            for action in intercepted.following {
                member.replacement = .init(try self.member(of: action).traced(trace))
                try reduce(member, at: time)
            }
        } catch {
            throw isClients ? error : Refusal.ofWholeState(error)
        }
        guard hooks.count > 0 else { return }
        let state = owner.state
        batch.steps[batch.steps.count - 1].released.append {
            for hook in hooks.reversed() { hook(state) }
        }
    }

    /// Shows an action to middleware, and reduces it; what follows from it is its step.
    private func reduce(_ member: ReducedMember, at time: Int64) throws {
        let next = version + 1
        let type = member.type
        var released: [@Sendable () -> Void] = []
        if counts.middleware > 0, member.envelope.mode == .apply {
            released = owner.middleware(before: stamped(member, at: time))
        }
        let began = begin(type, next)
        let reduction: Reduction
        do {
            reduction = try owner.reduce(
                member.action,
                version: next,
                from: member.envelope.session
            )
        } catch {
            _ = end(began)
            throw error
        }
        let nanoseconds = end(began)
        batch.steps.append(
            Step(
                member: member,
                time: time,
                change: reduction.change,
                nanoseconds: nanoseconds,
                effect: ports.effects == nil ? nil : reduction.effect,
                released: released,
                kept: reduction.kept
            )
        )
    }

    /// Notes that a reducer begins, where its time is measured. Returns when it began.
    private func begin(_ type: String, _ version: UInt64) -> UInt64 {
        guard isTimed else { return 0 }
        ports.progress?.begin(type, version)
        let now = SystemTime.steadyNanoseconds()
        if waitsSince > 0 {
            figures?.queueWait.observe(now > waitsSince ? now - waitsSince : 0)
            waitsSince = 0
        }
        return now
    }

    /// Notes that it has ended, which began then. Returns how many nanoseconds it took.
    private func end(_ begun: UInt64) -> UInt64 {
        guard isTimed else { return 0 }
        let nanoseconds = SystemTime.steadyNanoseconds() &- begun
        ports.progress?.end()
        return nanoseconds
    }

    /// What the journal keeps of an action that was dispatched in process.
    ///
    /// - Throws: where it has no wire name, or can't be written.
    func member(of action: any Action) throws -> EnvelopeMember {
        if let member = ports.member { return try member(action) }
        // The name of a type is put together each time, and nothing is kept here.
        let type = isPlain ? "" : String(describing: type(of: action))
        return EnvelopeMember(action: action, type: type)
    }

    private func stamped(_ member: ReducedMember, at time: Int64) -> StampedAction {
        let (action, envelope) = (member.action, member.envelope)
        return StampedAction(
            action: action,
            version: version + 1,
            time: time,
            type: isPlain ? String(describing: type(of: action)) : member.type,
            meta: member.meta,
            principal: envelope.principal,
            requestID: envelope.requestID,
            session: envelope.session,
            cause: envelope.source?.cause,
            origin: envelope.origin
        )
    }
}
