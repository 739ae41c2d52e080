package import StoreActionCatalog
package import StoreCore
import StoreDigest
package import StoreJSON
import StoreJSONSchema
package import StoreTelemetry
package import StoreWire

/// A store's history after recovery at a start: its journal, its replay, and the current state.
package struct RecoveredHistory<State: Codable & Equatable & Sendable>: Sendable {
    package let journal: any Journal
    package let replay: Replay<State>
    /// The version from which the server continues. Other servers may have appended to the journal
    /// since.
    package let version: UInt64
    /// The state of ``version``.
    package let state: State
    /// The number of this program in the journal, which new records get.
    package let programNumber: UInt32

    package var epoch: Epoch { Epoch(rawValue: journal.epoch) }

    /// Recovers the history in the journal, or begins a new history. A new history begins with the
    /// state in `file`, or with the program's initial state if `file` is `nil`. If `replayed` has
    /// the current state, the state is not made again.
    ///
    /// - Throws: ``RecoveryError`` if the store can't continue from the journal. Throws
    ///   ``ConfigurationError`` if the file is needed and can't be used. Throws the encoder's error
    ///   if the initial state has no JSON form.
    package init(
        of program: Program<State>,
        in journal: any Journal,
        registry: ActionRegistry<State>,
        encoder: JSONEncoder,
        beginningWith file: StateFile<State>? = nil,
        replayed: ReplayedState<State>? = nil,
        showing progress: ReplayReporter? = nil,
        logger: Logger
    ) throws {
        self.journal = journal
        replay = Self.replay(of: program, in: journal, registry: registry, replayed)
        let form = replay.stateFormDigest
        if journal.version == 0, journal.oldestSnapshotVersion == nil {
            // The first state is saved, because a later program may have another initial state.
            let given = try file?.read()
            let first = StateSnapshot(
                version: 0,
                time: SystemClock().now(),
                state: try encoder.encode(given ?? program.initialState),
                form: given == nil ? form : form + GivenState.formSuffix
            )
            do { try journal.save(first) } catch {
                let failure = "history can't begin, because its first state can't be written"
                throw RecoveryError(failure, error)
            }
        } else {
            file?.logIfUnused(by: journal, encoder, logger)
        }
        version = journal.version
        let forms = replay.forms
        let comparison = ProgramComparison(journal: journal, forms: forms, progress: progress)
        let programs: [ProgramDescription]
        do throws(ReplayError) {
            programs = try comparison.programsToRegister()
            if let state = replayed?.stateAtVersion(version) {
                self.state = state
            } else {
                state = try replay.state(at: version, showing: progress)
            }
        } catch {
            throw RecoveryError(error, version: version)
        }
        self.programNumber = try Self.register(programs, in: journal)
    }

    /// Registers the programs in their order. Returns the number of the last program.
    private static func register(
        _ programs: [ProgramDescription],
        in journal: any Journal
    ) throws(RecoveryError) -> UInt32 {
        var number: UInt32 = 0
        do {
            for program in programs { number = try journal.register(program) }
        } catch {
            let failure = "the forms of this program's actions can't be written to the history"
            throw RecoveryError(failure, error)
        }
        return number
    }

    /// Registers a program with the names of the imported records whose program is not known. Then
    /// registers this program again, because the last registered program has to be a program that
    /// has read all records.
    package func registerProgram(afterNames names: Set<String>) throws(RecoveryError) {
        let older = names.isEmpty ? [] : [ProgramForms(names: names.sorted()).programDescription]
        _ = try Self.register(older + [replay.forms.todaysForms.programDescription], in: journal)
    }

    /// Returns the replay that this server uses for a journal.
    package static func replay(
        of program: Program<State>,
        in journal: any Journal,
        registry: ActionRegistry<State>,
        _ replayed: ReplayedState<State>? = nil
    ) -> Replay<State> {
        let forms = replayed?.forms ?? RecordForms(registry.table, program.migrations)
        forms.setJournal(journal)
        let form = replayed?.stateFormDigest ?? Self.stateFormDigest
        return Replay(program: program, forms: forms, journal: journal, stateFormDigest: form)
    }

    /// The identity of the state type's form: the SHA-256 of the type's JSON Schema. If users have
    /// slices, the hash also covers the names of the members with these slices. A table of sessions
    /// has the same schema as a table of users.
    package static var stateFormDigest: String {
        let schema = JSONSchema.document(of: State.self)
        let users = (State.self as? any RootState.Type)?.userOwnedMemberNames ?? []
        guard !users.isEmpty else { return schema.withUnsafeBytes { SHA256.hexDigest($0) } }
        let form = schema.withUnsafeBytes { Array($0) } + Array(users.joined(separator: "/").utf8)
        return form.withUnsafeBytes { SHA256.hexDigest($0) }
    }
}

/// The results of the replay that ran while the journal was opened.
package struct ReplayedState<State: Sendable> {
    /// The identity of the state type's form, as in ``RecoveredHistory/stateFormDigest``.
    let stateFormDigest: String
    /// The forms with which the records were read.
    let forms: RecordForms
    /// The function that returns the state of a version; `nil` if the replay did not make that
    /// state.
    package let stateAtVersion: (UInt64) -> State?

    package init(stateFormDigest: String, forms: RecordForms, state: @escaping (UInt64) -> State?) {
        self.stateFormDigest = stateFormDigest
        self.forms = forms
        self.stateAtVersion = state
    }
}
