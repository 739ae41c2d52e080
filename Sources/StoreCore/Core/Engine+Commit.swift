extension Engine {
    /// Makes the batch durable, and then delivers it to readers, observers and dispatchers.
    func commit() {
        guard !batch.isEmpty else { return }
        var times = CommitTimes()
        if batch.steps.count > 0 {
            do { try stateOwner.prepare(through: version) } catch {
                return isolateFaultyEnvelope(because: error)
            }
            times.beforeAppend = nowIfMeasured
            do { try persist() } catch {
                if case .conflict(let newest) = error, newest > batch.baseVersion, replay != nil {
                    return rebaseBatch(onto: newest)
                }
                return rollBack(after: error)
            }
            times.afterAppend = nowIfMeasured
            stateOwner.markDurable()
        }
        noteVisibleChanges()
        // The closures, effects and reactions after this commit may dispatch actions, which belong
        // to the next batch.
        var committedBatch = batch
        batch.clear(startingAt: committedBatch.version)
        if committedBatch.steps.count > 0 {
            stateOwner.publish(through: committedBatch.version, for: committedBatch.audience)
            times.afterPublish = nowIfMeasured
            measureCommit(committedBatch, times)
            if isTraced { noteCommit(committedBatch, times) }
            runFollowUps(committedBatch)
        }
        committedBatch.outcomes.withUnsafeBufferPointer { outcomes in
            for index in outcomes.indices {
                answer(outcomes[index].envelope, outcomes[index].outcome)
            }
        }
        stateOwner.wakeStreams()
        // Reuses the memory of this batch for the next batch.
        if batch.isEmpty {
            committedBatch.clear(startingAt: batch.baseVersion)
            batch = committedBatch
        }
    }

    /// Appends the batch's records to the journal.
    private func persist() throws(JournalError) {
        guard let journal = ports.journal else { return }
        var records: [Record] = []
        records.reserveCapacity(batch.steps.count)
        var bytes = 0
        for index in batch.steps.indices {
            let record = record(of: batch.steps[index], batch.baseVersion + UInt64(index) + 1)
            bytes += record.byteCount
            records.append(record)
        }
        let keys = batch.keptOutcomesByKey.count > 0 ? Array(batch.keptOutcomesByKey.values) : []
        try journal.append(JournalBatch(records: records, outcomes: keys), at: batch.baseVersion)
        if successiveConflictCount > 0 { successiveConflictCount = 0 }
        if keys.count > 0 { keyOutcomes.add(batch.keptOutcomesByKey) }
        ports.follower?.didAppend(through: version, byteCount: bytes)
    }

    /// Records the changes of the batch's steps in `lastVisibleChanges`, for version conditions
    /// that depend on the slices that a client sees.
    func noteVisibleChanges() {
        guard lastVisibleChanges != nil else { return }
        var version = lastVisibleChanges?.notedVersion ?? 0
        while version < batch.version {
            let place = Int(version - batch.baseVersion)
            version += 1
            batch.steps.withUnsafeBufferPointer {
                lastVisibleChanges?.note($0[place].change, at: version)
            }
        }
    }

    private func record(of step: Step, _ version: UInt64) -> Record {
        Record(
            version: version,
            time: step.time,
            type: step.reducedAction.type,
            payload: step.reducedAction.payload,
            meta: step.reducedAction.meta,
            principal: step.envelope.principal,
            requestID: step.envelope.requestID,
            changed: step.change.changesState,
            cause: step.envelope.source?.cause,
            origin: step.envelope.origin,
            // Stores a client's session only if the state has slices of sessions.
            session: hasOwnedSlices ? step.envelope.session : nil,
            program: ports.programNumber
        )
    }

    /// Runs the closures, effects, reactions and observers of each action after the commit, in the
    /// order of the actions.
    private func runFollowUps(_ batch: Batch) {
        if followerTakesActions { ports.follower?.didApply(appliedActions(of: batch)) }
        var version = batch.baseVersion
        for index in batch.steps.indices {
            version += 1
            runFollowUps(batch.steps[index], version)
        }
        stateOwner.dropKeptStates()
    }

    private func runFollowUps(_ step: Step, _ version: UInt64) {
        for run in step.afterCommit { run() }
        // Begins the effect before the completions are called, because a client may wait for the
        // end of the effect.
        if let effect = step.effect, let runner = ports.effects {
            let cause = EffectCause(
                version: version,
                watch: step.envelope.watch,
                session: step.envelope.session,
                principal: step.envelope.principal,
                wireNameTemplate: step.reducedAction.wireNameTemplate,
                trace: TraceContext.traceparent(in: step.reducedAction.meta)
            )
            effect.launch(runner, cause)
        }
        guard step.keptStateIndex != nil else { return }
        stateOwner.notifySliceObservers(of: step, version: version)
        if watcherCounts.reactions > 0 {
            for (action, place) in stateOwner.reactionActions(to: step) {
                let source = ActionSource(
                    cause: version,
                    sourceLocation: place,
                    session: step.envelope.session,
                    principal: step.envelope.principal,
                    trace: TraceContext.traceparent(in: step.reducedAction.meta),
                    watch: step.envelope.watch.map { EffectWatch(following: $0) }
                )
                dispatchProgramAction(action, from: source)
            }
        }
        stateOwner.notifyObservers(of: step)
    }

    private func appliedActions(of batch: Batch) -> [AppliedAction] {
        batch.steps.indices.map { index in
            AppliedAction(
                version: batch.baseVersion + UInt64(index) + 1,
                type: batch.steps[index].reducedAction.type,
                changed: batch.steps[index].change.changesState,
                reducerTime: .nanoseconds(batch.steps[index].reducerNanoseconds)
            )
        }
    }

    /// Drops a batch whose last state cannot be encoded, and processes its envelopes one by one.
    /// The faulty envelope is refused, and the other envelopes are applied.
    ///
    /// The engine calls middleware again with the actions, as after every rollback of a batch.
    private func isolateFaultyEnvelope(because error: any Error) {
        let done = dropBatch()
        if done.outcomes.count == 1, let answered = done.outcomes.first {
            answer(answered.envelope, .refused(Refusal(error), member: 0))
            stateOwner.wakeStreams()
            return
        }
        for answered in done.outcomes {
            process(answered.envelope)
            commit()
        }
    }

    /// Drops the batch after a failed append. Nothing of the batch is durable, or the outcome of
    /// the append is unknown.
    private func rollBack(after error: JournalError) {
        let failure: CoreFailure = error == .storageFull ? .storageFull : .outcomeUnknown
        let done = dropBatch()
        if failure == .outcomeUnknown {
            hasFailed = true
            ports.onJournalFailure(error)
        }
        fail(done, failure)
    }

    /// Answers the envelopes of a batch that was rolled back.
    func fail(_ done: Batch, _ failure: CoreFailure) {
        for answered in done.outcomes {
            // If the batch had steps, even a refusal depends on a state that is now dropped. Each
            // envelope therefore fails.
            let outcome = done.steps.count > 0 ? .failed(failure) : answered.outcome
            answer(answered.envelope, outcome)
        }
        stateOwner.wakeStreams()
    }

    /// Restores the state before the batch, and returns the dropped batch.
    @discardableResult
    func dropBatch() -> Batch {
        let done = batch
        batch.clear(startingAt: done.baseVersion)
        lastVisibleChanges?.forget(after: done.baseVersion)
        stateOwner.rollBack()
        // If the engine processes the envelopes again, several commits may be necessary. Later
        // envelopes then look up the keys that earlier envelopes have stored.
        keyOutcomes.isBeforeLastCommit = false
        return done
    }
}
