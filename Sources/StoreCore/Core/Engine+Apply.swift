import StorePlatform
import StoreTraces

extension Engine {
    /// Processes one envelope: adds its steps and its outcome to the batch.
    func process(_ envelope: Envelope) {
        if let audience = envelope.audience {
            commit()
            batch.audience = audience
        }
        var mark = batch.steps.count
        if isTraced { envelope.span?.reductionStartTime = .now }
        let outcome = apply(envelope, settingFirstStep: &mark)
        if isTraced { envelope.span?.reductionEndTime = .now }
        batch.outcomes.append(.init(envelope: envelope, outcome: outcome))
        if envelope.endsBatch || envelope.audience != nil || hasEffects(fromStep: mark) { commit() }
    }

    /// True if a step of the envelope has an effect. The batch is then committed at once, because
    /// the effect may cancel other effects. The queued actions of a cancelled effect must not be
    /// applied.
    private func hasEffects(fromStep mark: Int) -> Bool {
        for index in mark..<batch.steps.count where batch.steps[index].effect != nil { return true }
        return false
    }

    /// Returns the outcome of an envelope. If the request refers to a version after the current
    /// version, first reads the records of other writers. Sets `mark` to the index of the
    /// envelope's first step.
    private func apply(_ envelope: Envelope, settingFirstStep mark: inout Int) -> Outcome {
        let outcome = apply(envelope)
        guard isBehind(envelope, outcome) else { return outcome }
        catchUp()
        batch.audience = envelope.audience
        mark = batch.steps.count
        return apply(envelope)
    }

    private func apply(_ envelope: Envelope) -> Outcome {
        if hasFailed { return .failed(.journalFailed) }
        if envelope.source?.token?.isCancelled == true { return .cancelled }
        if let idempotency = envelope.idempotency {
            do throws(JournalError) {
                if let known = try keptOutcome(of: idempotency.key) {
                    return known.fingerprint == idempotency.fingerprint
                        ? .replayed(known) : .keyTaken
                }
            } catch {
                return .failed(.journalUnreadable)
            }
        }
        if let condition = envelope.condition, !isMet(condition, of: envelope) {
            return .versionMismatch(current: version)
        }
        return applyMembers(of: envelope)
    }

    /// True if the state has the condition's version, or if nothing in the condition's scope has
    /// changed since that version.
    private func isMet(_ condition: VersionCondition, of envelope: Envelope) -> Bool {
        let since = condition.version
        guard since < version else { return since == version }
        noteVisibleChanges()
        switch condition.scope {
        case .everyChange: return false
        case .visible(let sees):
            guard hasOwnedSlices || sees != nil else { return false }
            return lastVisibleChanges?.isUnchanged(
                for: envelope.session,
                as: envelope.principal,
                readingAll: !envelope.isLimitedToReadableSlices,
                seeing: sees,
                since: since
            ) == true
        case .stateMembers(let members):
            // Most stores never need the version at which each module last changed. The engine
            // therefore begins to record these versions at the first condition that names members
            // of the state.
            if lastVisibleChanges == nil {
                lastVisibleChanges = LastVisibleChanges(
                    after: version,
                    byModule: true,
                    restrictedModules: stateOwner.restrictedModules
                )
            }
            lastVisibleChanges?.beginModuleChanges()
            return lastVisibleChanges?.isUnchanged(
                for: envelope.session,
                as: envelope.principal,
                readingAll: !envelope.isLimitedToReadableSlices,
                seeing: members,
                since: since
            ) == true
        }
    }

    /// Reduces all members, and adds a step for each to the batch. If a member is refused, or the
    /// envelope is a dry run, restores the state and the batch.
    private func applyMembers(of envelope: Envelope) -> Outcome {
        let isDry = envelope.mode == .dryRun
        let savepoint = Savepoint(
            stepCount: batch.steps.count,
            keptStateCount: stateOwner.keptStateCount
        )
        // A refused single action has changed nothing, so there is nothing to restore.
        let saves = isDry || envelope.members.count > 1 || watcherCounts.interceptors > 0
        if saves { stateOwner.setSavepoint() }
        stateOwner.showSlices(forSenderOf: envelope)
        offerTime = envelope.offerTime
        for index in envelope.members.indices {
            do {
                try applyMember(at: index, of: envelope)
            } catch {
                if saves { restore(savepoint) }
                return .refused(
                    reportRefusal(error, envelope.members[index], envelope),
                    member: index
                )
            }
        }
        let changed = hasChange(fromStep: savepoint.stepCount)
        var hasVisibleChange = changed
        // Avoids `map`, which would wrap the closure once more.
        if let sees = envelope.canSeeStateMember {
            hasVisibleChange = hasChange(fromStep: savepoint.stepCount, seenBy: sees)
        }
        if isDry { return finishDryRun(savepoint, hasVisibleChange) }
        let first = batch.baseVersion + UInt64(savepoint.stepCount) + 1
        if let idempotency = envelope.idempotency {
            keepOutcome(for: idempotency, firstVersion: first, changed: hasVisibleChange)
        }
        stateOwner.reportReduced(
            version: version,
            batch.steps,
            from: savepoint.stepCount,
            changed: changed
        )
        return .applied(
            first: first,
            last: version,
            changed: hasVisibleChange,
            state: envelope.returnsState ? RequestedState(stateOwner.state) : nil
        )
    }

    /// The size of the batch before an envelope.
    private struct Savepoint {
        let stepCount: Int
        let keptStateCount: Int
    }

    private func restore(_ savepoint: Savepoint) {
        stateOwner.restoreSavepoint(keptStateCount: savepoint.keptStateCount)
        batch.steps.removeSubrange(savepoint.stepCount...)
    }

    private func hasChange(fromStep mark: Int) -> Bool {
        for index in mark..<batch.steps.count where batch.steps[index].change.changesState {
            return true
        }
        return false
    }

    /// True if a step has changed a module that the client sees.
    private func hasChange(fromStep mark: Int, seenBy sees: (Int) -> Bool) -> Bool {
        batch.steps.withUnsafeBufferPointer { steps in
            (mark..<steps.count).contains { steps[$0].change.edits.hasChange(inModuleWhere: sees) }
        }
    }

    private func finishDryRun(_ savepoint: Savepoint, _ changed: Bool) -> Outcome {
        let after = stateOwner.state
        let edits = batch.steps[savepoint.stepCount...].flatMap(\.change.edits)
        restore(savepoint)
        return .dryRun(
            DryRun(
                changed: changed,
                version: version,
                stateBefore: stateOwner.state,
                stateAfter: after,
                edits: edits
            )
        )
    }

    private func keepOutcome(for idempotency: Idempotency, firstVersion: UInt64, changed: Bool) {
        batch.keptOutcomesByKey[idempotency.key] = KeptOutcome(
            key: idempotency.key,
            fingerprint: idempotency.fingerprint,
            first: firstVersion,
            last: version,
            changed: changed,
            time: (ports.idempotencyKeyClock ?? ports.clock).now()
        )
    }
}

// Applying one action

extension Engine {
    /// Applies a member of an envelope, or the actions with which the interceptors replace or
    /// follow the member.
    private func applyMember(at place: Int, of envelope: Envelope) throws {
        let time = ports.clock.now()
        var member = ReducedAction(envelope: envelope, memberIndex: place)
        guard watcherCounts.interceptors > 0 else { return try addStep(for: member, at: time) }
        // Interceptors see the whole state. A refusal by an interceptor, or of an interceptor's
        // action, therefore counts as a refusal by the whole state, not by the module.
        var isOriginalMember = false
        // The actions that interceptors add belong to the trace of the member.
        let trace = TraceContext.traceparent(in: member.meta)
        let closuresAfterCommit: [@Sendable (any Sendable) -> Void]
        do {
            let intercepted = try stateOwner.intercept { action in
                if let action {
                    member.replacement = .init(try self.member(of: action).withTrace(trace))
                }
                return actionEnvelope(of: member, at: time)
            }
            closuresAfterCommit = intercepted.afterCommit
            isOriginalMember = member.replacement == nil
            try addStep(for: member, at: time)
            isOriginalMember = false
            for action in intercepted.following {
                member.replacement = .init(try self.member(of: action).withTrace(trace))
                try addStep(for: member, at: time)
            }
        } catch {
            throw isOriginalMember ? error : Refusal.byWholeState(error)
        }
        guard closuresAfterCommit.count > 0 else { return }
        let state = stateOwner.state
        batch.steps[batch.steps.count - 1].afterCommit.append {
            for hook in closuresAfterCommit.reversed() { hook(state) }
        }
    }

    /// Calls middleware with an action, reduces it, and adds its step to the batch.
    private func addStep(for member: ReducedAction, at time: Int64) throws {
        let nextVersion = version + 1
        let type = member.type
        var closuresAfterCommit: [@Sendable () -> Void] = []
        if watcherCounts.middleware > 0, member.envelope.mode == .apply {
            closuresAfterCommit = stateOwner.callMiddleware(
                before: actionEnvelope(of: member, at: time)
            )
        }
        let began = beginReduction(of: type, version: nextVersion)
        let reduction: Reduction
        do {
            reduction = try stateOwner.changeState(
                member.action,
                from: member.envelope.session,
                ReducerContextSource(version: nextVersion, time: time, member.envelope),
                isReplay: false
            )
        } catch {
            _ = endReduction(begunAt: began)
            throw error
        }
        let nanoseconds = endReduction(begunAt: began)
        batch.steps.append(
            Step(
                reducedAction: member,
                time: time,
                change: reduction.change,
                reducerNanoseconds: nanoseconds,
                effect: ports.effects == nil ? nil : reduction.effect,
                afterCommit: closuresAfterCommit,
                keptStateIndex: reduction.keptStateIndex
            )
        )
    }

    /// Records the start of a reduction if its time is measured. Returns the time of the start.
    private func beginReduction(of type: String, version: UInt64) -> UInt64 {
        guard measuresReducerTime else { return 0 }
        ports.progress?.begin(type, version)
        let now = SystemTime.steadyNanoseconds()
        if offerTime > 0 {
            figures?.queueWait.observe(now > offerTime ? now - offerTime : 0)
            offerTime = 0
        }
        return now
    }

    /// Records the end of a reduction that started at `begun`. Returns the duration of the
    /// reduction in nanoseconds.
    private func endReduction(begunAt begun: UInt64) -> UInt64 {
        guard measuresReducerTime else { return 0 }
        let nanoseconds = SystemTime.steadyNanoseconds() &- begun
        ports.progress?.end()
        return nanoseconds
    }

    /// Returns the journal's form of an action that was dispatched in process.
    ///
    /// - Throws: an error if the action has no wire name or cannot be encoded.
    func member(of action: any Action) throws -> EnvelopeMember {
        if let member = ports.makeMember { return try member(action) }
        // The short path uses no name. An empty name is cheaper there, because Swift would build
        // the type's name at each call.
        let type = hasShortPath ? "" : String(describing: type(of: action))
        return EnvelopeMember(action: action, type: type)
    }

    /// Makes the envelope that interceptors and middleware receive beside an action.
    private func actionEnvelope(of member: ReducedAction, at time: Int64) -> ActionEnvelope {
        let (action, envelope) = (member.action, member.envelope)
        return ActionEnvelope(
            action: action,
            version: version + 1,
            time: time,
            type: hasShortPath ? String(describing: type(of: action)) : member.type,
            meta: member.meta,
            principal: envelope.principal,
            session: envelope.session ?? SessionName.shared,
            requestID: envelope.requestID,
            cause: envelope.source?.cause,
            origin: envelope.origin
        )
    }
}
