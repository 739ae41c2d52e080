package import StoreCore
package import StoreJSON
package import StorePlatform

/// The replay of a history: makes the state of a version from a snapshot and the actions after the
/// snapshot.
///
/// Another thread reads the next page of the journal while the records of the page before are
/// reduced.
package struct Replay<State: Codable & Sendable>: Sendable {
    let program: Program<State>
    /// The forms with which records are read.
    package let forms: RecordForms
    package let journal: any Journal
    /// The identity of the state type's form: the SHA-256 of the type's JSON Schema.
    package let stateFormDigest: String

    /// Moves `base` forward: reduces the records after the version of `base`, up to the version
    /// `end`. Calls `each` with each record and the state after it. The replay ends early if `each`
    /// returns `false`.
    ///
    /// - Throws: ``ReplayError``, for instance if the deadline has passed.
    package func advance(
        _ base: inout Base,
        through end: UInt64,
        until deadline: Deadline? = nil,
        showing progress: ReplayReporter? = nil,
        each: (borrowing Record, State) -> Bool = { _, _ in true }
    ) throws(ReplayError) {
        var pages = JournalPages(journal, after: base.version, through: end)
        var replay = RecordReplay(
            RecordReader(forms),
            ProgressCounter(progress, "replayed", after: base.version, through: end)
        )
        defer { replay.finish() }
        while let records = try pages.next() {
            if let deadline, deadline.isOver { throw .deadlinePassed(records[0].version) }
            for record in records {
                if record.isForgotten { throw .forgotten(record.version) }
                do {
                    try replay.reduce(record) { action, session, origin in
                        try program.reducer(&base.state, action, session, origin)
                    }
                } catch let error as UnreadableRecord {
                    throw try unreadableError(from: error, records, &pages, &replay)
                } catch {
                    throw .diverged(record.version, "\(error)")
                }
                base.version = record.version
                guard each(record, base.state) else { return }
            }
        }
    }

    /// Returns the error for an unreadable record. Reads the remaining records without reducing
    /// them, so that the error names all unreadable types at once.
    private func unreadableError(
        from first: UnreadableRecord,
        _ records: [Record],
        _ pages: inout JournalPages,
        _ replay: inout RecordReplay
    ) throws(ReplayError) -> ReplayError {
        var found: [ExactText: UnreadableRecord] = [ExactText(first.type): first]
        var records = records.drop { $0.version <= first.version }
        while true {
            for record in records {
                do { try replay.check(record) } catch {
                    let type = ExactText(error.type)
                    found[type] = found[type] ?? error
                }
            }
            guard let next = try pages.next() else { break }
            records = next[...]
        }
        return .unreadable(found.values.sorted { $0.version < $1.version })
    }
}

/// The reason why a state could not be made again.
package enum ReplayError: Error {
    /// The records that the program of today can't read: the first record of each type.
    case unreadable([UnreadableRecord])
    /// The reducer now refuses an action that the reducer applied when the record was written.
    case diverged(UInt64, String)
    case journal(JournalError)
    /// The personal members of the record of this version were forgotten.
    case forgotten(UInt64)
    /// No snapshot can be read, because all of them were made before a person was forgotten.
    case snapshotsForgotten
    /// History reaches back only to this version.
    case gone(oldest: UInt64)
    /// The oldest usable snapshot has another form of the state's type, and the records before that
    /// snapshot are gone.
    case snapshotFormChanged(UInt64, String)
    /// History began with a given state, which has another form of the state's type.
    case givenStateFormChanged(String)
    /// The deadline passed at this version.
    case deadlinePassed(UInt64)
}

// The base

extension Replay {
    /// A state with its version, from which later states can be made.
    package struct Base {
        package var state: State
        package var version: UInt64

        package init(state: State, version: UInt64) {
            self.state = state
            self.version = version
        }
    }

    /// Returns the state of `version`.
    package func state(
        at version: UInt64,
        until deadline: Deadline? = nil,
        showing progress: ReplayReporter? = nil
    ) throws(ReplayError) -> State {
        var base = try base(for: version)
        try advance(&base, through: version, until: deadline, showing: progress)
        return base.state
    }

    /// Returns the newest known state at or before `version`.
    ///
    /// A snapshot is used if the form of the state's type has not changed since the snapshot.
    /// Otherwise all actions are reduced again from the beginning of history. If the beginning is
    /// gone, the snapshot is decoded anyway, and its fields have to fit. A first state that was
    /// given in a file is always decoded, too.
    package func base(for version: UInt64) throws(ReplayError) -> Base {
        let forgotten = (journal as? any ForgettingJournal)?.oldestRestorableVersion ?? 0
        guard version >= forgotten else {
            if forgotten == .max { throw .snapshotsForgotten }
            throw .gone(oldest: forgotten)
        }
        let reachesBack = journal.oldestVersion == 1 && forgotten == 0
        let found: StateSnapshot?
        do { found = try journal.snapshot(atOrBefore: version) } catch { throw .journal(error) }
        if reachesBack, found.map(hasCurrentForm) != true { return try initialBase() }
        guard let snapshot = found, snapshot.version + 1 >= journal.oldestVersion else {
            throw .gone(oldest: journal.oldestSnapshotVersion ?? journal.version)
        }
        do {
            return Base(state: try program.state(in: snapshot), version: snapshot.version)
        } catch {
            if reachesBack { return try initialBase() }
            throw .snapshotFormChanged(snapshot.version, error.messageForOperators)
        }
    }

    /// Returns true if a snapshot has the form that the state's type has today.
    package func hasCurrentForm(_ snapshot: StateSnapshot) -> Bool {
        GivenState.matchesForm(snapshot.formID, stateFormDigest)
    }

    /// Returns the state before the first action: the program's initial state, or the state of a
    /// file if history began with a file.
    private func initialBase() throws(ReplayError) -> Base {
        let given: StateSnapshot?
        do { given = try GivenState.firstSnapshot(of: journal) } catch { throw .journal(error) }
        guard let given else { return Base(state: program.initialState, version: 0) }
        do { return Base(state: try program.state(in: given), version: 0) } catch {
            throw .givenStateFormChanged("\(error.pointer): \(error.messageForOperators)")
        }
    }
}

/// The reason why a store can't continue from its journal, with the remedy.
package struct RecoveryError: Error, CustomStringConvertible {
    package let description: String

    /// Makes the error for a failed write to the history.
    init(_ failure: String, _ error: JournalError) {
        description = "\(failure): \(error)\nrepair the disk of --data, and start again"
    }

    package init(_ error: ReplayError, version: UInt64) {
        description =
            switch error {
            case .unreadable(let records):
                "the journal has actions that this program can't read: "
                    + records.map { "\($0.type) (first at version \($0.version): \($0.reason))" }
                    .joined(separator: "; ")
                    + ". Register a migration for each: Server(…).migrations("
                    + ".action(\"\(records.first?.type ?? "")\", from: OldFields.self) { … }), or "
                    + ".dropped(\"\(records.first?.type ?? "")\") if it has no meaning any more"
            case .diverged(let version, let reason):
                "the reducer refuses the action of version \(version), which it applied when the "
                    + "journal was written (\(reason)). A reducer must accept all old actions"
            case .snapshotFormChanged(let version, let reason):
                "the state's type has changed since the snapshot of version \(version), which no "
                    + "longer fits (\(reason)), and the actions before the snapshot are no longer "
                    + "kept. Let the type's own init(from:) read the old form"
            case .givenStateFormChanged(let reason):
                "history began with the state of a file, which no longer fits the state's type "
                    + "(\(reason)). Let the type's own init(from:) read the old form"
            case .gone(let oldest):
                "history begins at version \(oldest), and the state before that version was not "
                    + "kept"
            case .forgotten(let version):
                "the action of version \(version) has forgotten members, so this version and later "
                    + "versions can't be made again from older states"
            case .snapshotsForgotten:
                "this history was copied before a person was forgotten, and its snapshots were "
                    + "forgotten, too. Use a backup that was made after the last 'forget'; "
                    + "'export' still writes the actions"
            case .deadlinePassed(let version): "replaying was given up at version \(version)"
            case .journal(let error): "the journal can't be read: \(error)"
            }
    }
}

/// A reducer of the replay. The reducer applies an action on behalf of a session.
package typealias StateReducer<State> =
    @Sendable (inout State, any Action, _ session: String?, ReducerContextSource) throws -> Void

/// The parts of a program that make states from actions: the initial state, the migrations and the
/// reducer.
package struct Program<State: Codable & Sendable>: Sendable {
    package let initialState: State
    package let migrations: [Migration]
    package let reducer: StateReducer<State>
    /// The function that copies shared values into the slices of the modules that read these
    /// values. Snapshots lack the copies in the initial slices of sessions.
    package let fillSharedValues: @Sendable (inout State) -> Void

    package init(
        state: State,
        migrations: [Migration],
        reducer: @escaping StateReducer<State>,
        fillSharedValues: @escaping @Sendable (inout State) -> Void = { _ in }
    ) {
        self.initialState = state
        self.migrations = migrations
        self.reducer = reducer
        self.fillSharedValues = fillSharedValues
    }

    /// Decodes the state of a snapshot.
    package func state(in snapshot: StateSnapshot) throws(JSONError) -> State {
        var state = try JSONDecoder(limits: .unbounded).decode(State.self, from: snapshot.state)
        fillSharedValues(&state)
        return state
    }
}
