import StoreCore
import StoreJSON

extension Simulation {
    /// Stops or kills the store, and starts it again on its journal.
    func restart(isKilled: Bool, _ chance: inout Chance) throws {
        note(isKilled ? "the store is killed" : "the store is stopped")
        isStopping = true
        if !isKilled {
            server.stopEffects()
            while server.executor.step(&chance) { try turnCore() }
            try verifyRecords()
            try check()
            try? server.keepSnapshot()
        }
        journal.fail(.lost)
        server.stopEffects()
        repeat { try turnCore() } while server.executor.step(&chance)
        server.collect()
        recorder.forget()
        try takeLate()
        for reader in readers { depart(reader) }
        readers = []
        logReaders = []
        begunHere = []
        appliedCounts = [:]
        waiting = []
        outcomes = []
        due = []
        _ = naive.calls.takeCalls()
        _ = naive.calls.takeOwn()
        try disk.open()
        if chance.happens(1, in: 4) { try disk.forget() }
        try changeEdition(&chance)
        do { server = try start(edition) } catch {
            throw Violation(.restart, "the \(edition) edition does not start: \(error)")
        }
        isStopping = false
        shares = Self.isLimited(seed) ? Shares() : nil
        guard server.version == naive.version, Bytewise(server.state) == naive.whole else {
            throw Violation(
                .restart,
                "version \(server.version) begins with \(Bytewise(server.state)), and before it was "
                    + "\(naive.version): \(naive.whole)"
            )
        }
        try begin()
    }

    private func start(_ edition: ShippedEdition) throws -> SimulatedServer<P.Root> {
        try Self.start(
            seed,
            journal,
            clock,
            recorder,
            roles,
            isIntercepted: naive.isIntercepted,
            edition
        )
    }

    /// Ships the other edition of the program, now and then. The first edition refuses a history
    /// that it can't read, and leaves the history as it was.
    private func changeEdition(_ chance: inout Chance) throws {
        guard P.hasEditions, chance.happens(1, in: 3) else { return }
        note("the \(edition.other) edition is shipped")
        guard edition == .second, let lastOfSecond else {
            // No client of this edition repeats requests that it sent to the other edition.
            requests = [:]
            return edition = edition.other
        }
        // History may have lost the record and still have its form.
        guard lastOfSecond >= journal.oldestVersion else { return }
        let count = journal.count
        do { _ = try start(.first) } catch {
            let isNamed = "\(error)".contains("Filled") || "\(error)".contains("Emptied")
            guard isNamed, journal.count == count else {
                throw Violation(.restart, "the first edition is refused in vain: \(error)")
            }
            return
        }
        throw Violation(.restart, "the first edition starts on version \(lastOfSecond)")
    }

    /// Adds the records of appends that failed after they were written.
    private func takeLate() throws {
        for record in journal.records(after: Int(naive.version)) {
            let applied: Applied<P.Root>
            do {
                let action = try server.action(record.type, record.payload)
                applied = try naive.apply(
                    action,
                    from: record.session,
                    as: record.principal,
                    for: nil,
                    at: record.time
                )
            } catch {
                throw Violation(.replay, "\(name(record)) can't be reduced: \(error)")
            }
            past.add(applied, P.note(of: applied.action), P.readers(applied))
            if edition.isNew(record.type) { lastOfSecond = record.version }
        }
        for outcome in journal.outcomes where keys[outcome.key] == nil {
            keys[outcome.key] = Prediction.Kept(
                body: vainKeys[outcome.key]?.body ?? Bytewise(""),
                first: outcome.firstVersion,
                last: outcome.lastVersion,
                changed: outcome.changed
            )
        }
        keptCount = journal.outcomes.count
    }

    /// Predicts the consequences of a store's start.
    private func begin() throws {
        naive.begin()
        firedTimer = nil
        startTime = clock.timeOfDay.now()
        try expectFirstStarts()
        let place = Naive<P>.names.firstIndex(of: PendingEffects.name)
        let ledger = place.flatMap { P.Root.modules[$0].slicePlace.memberValue(naive.root) }
        for entry in (ledger as? PendingEffects.State)?.pending ?? [] {
            guard entry.onRestart == .retried, let input = entry.work?.input else { continue }
            let work = try JSONDecoder().decode(Jobs.Work.self, from: Array(input.utf8))
            guard case .kept(let note, _, let count) = work else { continue }
            // The session of the work is forgotten with its action; the input of the work is not.
            if entry.version < journal.oldestVersion { past.sessions[entry.version] = nil }
            let session = past.sessions[entry.version]
            let name = note + "/\(count)"
            naive.works.sender =
                entry.version < journal.oldestVersion
                ? nil : journal.record(entry.version)?.principal?.name
            naive.works.begin(note, of: "jobs", nil, session, entry.version, as: [name])
        }
        let reported = naive.calls.takeOwn()
        for own in reported {
            let wire = try server.wire(own.action)
            let version = Self.reportedVersion(own.action)
            due.append(
                Due(
                    type: Bytewise(wire.type),
                    payload: Bytewise(wire.payload),
                    cause: version,
                    isStart: version == nil,
                    session: own.session
                        ?? version.flatMap { version in
                            // The session of a forgotten record is forgotten with the record.
                            version >= journal.oldestVersion ? past.sessions[version] : nil
                        },
                    audience: own.audience
                )
            )
        }
    }

    private static func reportedVersion(_ action: any Action) -> UInt64? {
        if case .interrupted(let version)? = action as? Jobs.Internal { return version }
        if case .ended(let version)? = action as? PendingEffects.Internal { return version }
        return nil
    }
}
