import Synchronization

// Following the other writers of the journal.

extension Engine {
    /// The most successive conflicts of a batch. After one more conflict, the batch's requests
    /// fail. Each conflict means that an append of another writer succeeded.
    static var conflictsMax: Int { 64 }

    /// The most calls of ``Journal/tail(from:)`` in one call of ``follow(upTo:)``. Between two such
    /// calls, the engine serves its own clients.
    static var tailCallsMax: Int { 16 }

    /// Makes this engine read the records of other writers up to a version. Any thread may call
    /// this function.
    func readOtherWriters(upTo version: UInt64) {
        remoteVersion.max(version, ordering: .sequentiallyConsistent)
        guard !isFollowing.exchange(true, ordering: .sequentiallyConsistent) else { return }
        perform { $0.readUpToRemoteVersion() }
    }

    /// Makes this engine read all records of other writers. Any thread may call this function.
    func readAllOfOtherWriters() {
        perform { if $0.follow(upTo: .max) == .partly { $0.readAllOfOtherWriters() } }
    }

    private func readUpToRemoteVersion() {
        isFollowing.store(false, ordering: .sequentiallyConsistent)
        let remoteVersion = remoteVersion.load(ordering: .sequentiallyConsistent)
        if follow(upTo: remoteVersion) == .partly { readOtherWriters(upTo: remoteVersion) }
    }

    /// Handles a conflict: takes the batch back, reduces the records of the other writers, and then
    /// runs the batch's envelopes again on the new state.
    ///
    /// The engine calls middleware and interceptors with the actions again, as after each dropped
    /// batch.
    func reduceAgain(behind version: UInt64) {
        conflicts += 1
        let done = takeBack()
        guard conflicts <= Self.conflictsMax else {
            conflicts = 0
            return fail(done, .contended)
        }
        guard follow(upTo: version) != .failed else {
            return fail(done, hasFailed ? .journalFailed : .unreadable)
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
        _ = follow(upTo: .max)
    }

    /// The result of ``follow(upTo:)``.
    private enum FollowResult {
        /// The engine has read up to the requested version, or to the end of the history.
        case wholly
        /// The engine has made ``tailCallsMax`` calls, and more records may follow.
        case partly
        case failed
    }

    /// Reduces and publishes records of other writers, at least up to `newest` if the history
    /// reaches that version.
    private func follow(upTo newest: UInt64) -> FollowResult {
        guard let journal = ports.journal, batch.isEmpty, !hasFailed else { return .failed }
        let before = version
        defer { if version > before { lookUpKeysAgain() } }
        do throws(JournalError) {
            for _ in 0..<Self.tailCallsMax {
                guard version < newest else { return .wholly }
                let records = try journal.tail(from: version)
                if records.isEmpty { return .wholly }
                try adopt(records)
            }
            return .partly
        } catch {
            takeBack()
            switch error {
            case .unknown, .storageFull: ports.follower?.journalUnreadable(error)
            case .conflict, .gone, .corrupt:
                hasFailed = true
                ports.failed(error)
            }
            return .failed
        }
    }

    /// Reduces records as a replay does. The engine that wrote the records has called middleware,
    /// interceptors, presenters and reactions, and has begun the effects. This engine only shows
    /// the records to readers and observers, and cancels the effects that the records cancel.
    private func adopt(_ records: [Record]) throws(JournalError) {
        var bytes = 0
        for record in records {
            guard record.version == version + 1 else {
                throw .corrupt("version \(record.version) follows version \(version)")
            }
            do {
                let isRead = try replay?.reduce(record) { try addStep(of: record, with: $0) }
                guard let isRead else {
                    throw Refusal(reason: "This store has no reader of records.")
                }
                if !isRead { try addStep(of: record, with: SkippedAction()) }
            } catch {
                throw .corrupt(
                    "this program can't apply version \(record.version) (\(record.type)), which "
                        + "another writer has appended: \(error)"
                )
            }
            bytes += record.bytes
        }
        do { try owner.prepare(through: version) } catch {
            throw .corrupt("the state of version \(version) can't be shown: \(error)")
        }
        owner.commit()
        ports.follower?.appended(through: version, bytes: bytes)
        noteSteps()
        let done = batch
        batch.restart(at: done.version)
        owner.committed(through: done.version, for: nil)
        for step in done.steps {
            if let runner = ports.effects { step.effect?.launch(runner, nil) }
            guard step.keptStateIndex != nil else { continue }
            owner.notifySliceObservers(of: step, version: nil)
            owner.notifyObservers(of: step)
        }
        owner.dropKeptStates()
        owner.completed()
    }

    /// Reduces the action of a record, and adds its step to the batch.
    private func addStep(of record: Record, with action: any Action) throws {
        let reduction = try owner.changeState(
            action,
            version: record.version,
            from: record.session,
            isReplay: true
        )
        let envelope = Envelope(
            members: [EnvelopeMember(action: action, type: record.type)],
            principal: record.principal,
            session: record.session,
            completion: IgnoredOutcome()
        )
        let (first, change) = (batch.steps.count, reduction.change)
        batch.steps.append(
            Step(
                member: ReducedMember(envelope: envelope, memberIndex: 0),
                time: record.time,
                change: change,
                nanoseconds: 0,
                effect: reduction.effect,
                afterCommit: [],
                keptStateIndex: reduction.keptStateIndex
            )
        )
        owner.reduced(version: version, batch.steps, from: first, changed: change.changesState)
    }
}

/// The placeholder for a record that a migration drops.
struct SkippedAction: Action {}
