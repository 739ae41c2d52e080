import Synchronization

// Following the other writers of the journal.

extension Engine {
    /// The maximum number of successive conflicts of a batch. After one more conflict, the batch's
    /// requests fail. Each conflict means that an append of another writer succeeded.
    static var conflictsMax: Int { 64 }

    /// The maximum number of calls of ``Journal/tail(from:)`` in one call of
    /// ``followOtherWriters(upTo:)``. Between two calls of ``followOtherWriters(upTo:)``, the
    /// engine serves its own clients.
    static var journalTailReadsMax: Int { 16 }

    /// Makes this engine read the records of other writers up to a version. Any thread may call
    /// this function.
    func readRecordsOfOtherWriters(upTo version: UInt64) {
        remoteVersion.max(version, ordering: .sequentiallyConsistent)
        guard !isFollowQueued.exchange(true, ordering: .sequentiallyConsistent) else { return }
        enqueueTask { $0.readUpToRemoteVersion() }
    }

    /// Makes this engine read all records of other writers. Any thread may call this function.
    func readAllRecordsOfOtherWriters() {
        enqueueTask {
            if $0.followOtherWriters(upTo: .max) == .moreRemains {
                $0.readAllRecordsOfOtherWriters()
            }
        }
    }

    private func readUpToRemoteVersion() {
        isFollowQueued.store(false, ordering: .sequentiallyConsistent)
        let remoteVersion = remoteVersion.load(ordering: .sequentiallyConsistent)
        if followOtherWriters(upTo: remoteVersion) == .moreRemains {
            readRecordsOfOtherWriters(upTo: remoteVersion)
        }
    }

    /// Handles a conflict: rolls the batch back, and reduces the records of the other writers. Then
    /// processes the batch's envelopes again on the new state.
    ///
    /// The engine calls middleware and interceptors again with the actions, as after every rollback
    /// of a batch.
    func rebaseBatch(onto version: UInt64) {
        successiveConflictCount += 1
        let done = dropBatch()
        guard successiveConflictCount <= Self.conflictsMax else {
            successiveConflictCount = 0
            return fail(done, .contended)
        }
        guard followOtherWriters(upTo: version) != .failed else {
            return fail(done, hasFailed ? .journalFailed : .journalUnreadable)
        }
        for answered in done.outcomes { process(answered.envelope) }
        commit()
    }

    /// True if an envelope's outcome comes from an old state: the request refers to a newer state,
    /// which another writer has made.
    func isBehind(_ envelope: Envelope, _ outcome: Outcome) -> Bool {
        switch outcome {
        case .versionMismatch(let current): envelope.condition.map { $0.version > current } ?? false
        case .replayed(let kept): kept.lastVersion > version
        default: false
        }
    }

    /// Commits the batch and reads the records of other writers.
    func catchUp() {
        commit()
        _ = followOtherWriters(upTo: .max)
    }

    /// The result of ``followOtherWriters(upTo:)``.
    private enum FollowResult {
        /// The engine has read up to the requested version, or to the end of the history.
        case caughtUp
        /// The engine has made ``journalTailReadsMax`` calls, and more records may follow.
        case moreRemains
        case failed
    }

    /// Reduces and publishes records of other writers, at least up to `newest` if the history
    /// reaches that version.
    private func followOtherWriters(upTo newest: UInt64) -> FollowResult {
        guard let journal = ports.journal, batch.isEmpty, !hasFailed else { return .failed }
        let before = version
        defer { if version > before { lookUpKeysAgain() } }
        do throws(JournalError) {
            for _ in 0..<Self.journalTailReadsMax {
                guard version < newest else { return .caughtUp }
                let records = try journal.tail(from: version)
                if records.isEmpty { return .caughtUp }
                try replayRecords(records)
            }
            return .moreRemains
        } catch {
            dropBatch()
            switch error {
            case .unknown, .storageFull: ports.follower?.journalDidBecomeUnreadable(error)
            case .conflict, .gone, .corrupt:
                hasFailed = true
                ports.onJournalFailure(error)
            }
            return .failed
        }
    }

    /// Reduces records as a replay does. The engine that wrote the records has called middleware,
    /// interceptors, presenters and reactions, and has begun the effects. This engine only shows
    /// the records to readers and observers, and cancels the effects that the records cancel.
    private func replayRecords(_ records: [Record]) throws(JournalError) {
        var bytes = 0
        for record in records {
            guard record.version == version + 1 else {
                throw .corrupt("version \(record.version) comes directly after version \(version)")
            }
            do {
                let isRead = try replay?.reduce(record) {
                    try addStep(of: record, with: $0, $2)
                }
                guard let isRead else {
                    throw Refusal(reason: "This store has no reader of records.")
                }
                if !isRead {
                    let origin = ReducerContextSource(version: record.version)
                    try addStep(of: record, with: SkippedAction(), origin)
                }
            } catch {
                throw .corrupt(
                    "this program can't apply version \(record.version) (\(record.type)), which "
                        + "another writer has appended: \(error)"
                )
            }
            bytes += record.byteCount
        }
        do { try stateOwner.prepare(through: version) } catch {
            throw .corrupt("the state of version \(version) can't be published: \(error)")
        }
        stateOwner.markDurable()
        ports.follower?.didAppend(through: version, byteCount: bytes)
        noteVisibleChanges()
        let done = batch
        batch.clear(startingAt: done.version)
        stateOwner.publish(through: done.version, for: nil)
        for step in done.steps {
            if let runner = ports.effects { step.effect?.launch(runner, nil) }
            guard step.keptStateIndex != nil else { continue }
            stateOwner.notifySliceObservers(of: step, version: nil)
            stateOwner.notifyObservers(of: step)
        }
        stateOwner.dropKeptStates()
        stateOwner.wakeStreams()
    }

    /// Reduces the action of a record, and adds its step to the batch.
    private func addStep(
        of record: Record,
        with action: any Action,
        _ origin: ReducerContextSource
    ) throws {
        let reduction = try stateOwner.changeState(
            action,
            from: record.session,
            origin,
            isReplay: true
        )
        let envelope = Envelope(
            members: [EnvelopeMember(action: action, type: record.type)],
            principal: record.principal,
            session: record.session,
            completion: UnawaitedCompletion()
        )
        let (first, change) = (batch.steps.count, reduction.change)
        batch.steps.append(
            Step(
                reducedAction: ReducedAction(envelope: envelope, memberIndex: 0),
                time: record.time,
                change: change,
                reducerNanoseconds: 0,
                effect: reduction.effect,
                afterCommit: [],
                keptStateIndex: reduction.keptStateIndex
            )
        )
        stateOwner.reportReduced(
            version: version,
            batch.steps,
            from: first,
            changed: change.changesState
        )
    }
}

/// The placeholder for a record that a migration drops.
struct SkippedAction: Action {}
