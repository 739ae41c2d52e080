package import StoreActionCatalog
package import StoreCore
import StoreDigest
import StorePlatform
package import StoreTelemetry
package import StoreWire
import Synchronization

/// A store's history as a start finds it: where it is kept, how it is replayed, and the state that
/// it leads to.
package struct RecoveredHistory<State: Codable & Equatable & Sendable>: Sendable {
    package let journal: any Journal
    package let replay: Replay<State>
    /// The version that the server goes on from. Other servers may have taken the journal further
    /// since.
    package let version: UInt64
    /// The state of that version.
    package let state: State
    /// The number of this program in the journal, which its records have.
    package let program: UInt32

    package var epoch: Epoch { Epoch(rawValue: journal.epoch) }

    /// Reads what is there, or begins: with the file, where one is given, else with the program's
    /// own state. What was made of the journal while it was opened is not made again.
    ///
    /// - Throws: ``RecoveryError`` where the journal can't be gone on from, ``ConfigurationError``
    ///   where the file is needed and can't be used; the encoder's error where the initial
    ///   state has no JSON form.
    package init(
        of program: Program<State>,
        in journal: any Journal,
        registry: ActionRegistry<State>,
        encoder: JSONEncoder,
        beginningWith file: StateFile<State>? = nil,
        replayed: ReplayedState<State>? = nil,
        showing progress: ReplayProgress? = nil,
        logger: Logger
    ) throws {
        self.journal = journal
        replay = Self.replay(of: program, in: journal, registry: registry, replayed)
        let form = replay.form
        if journal.version == 0, journal.oldestSnapshot == nil {
            // Later programs may begin with another state; this history began with this one.
            let given = try file?.read()
            let first = StateSnapshot(
                version: 0,
                time: SystemClock().now(),
                state: try encoder.encode(given ?? program.state),
                form: given == nil ? form : form + GivenState.mark
            )
            do {
                try journal.save(first)
            } catch {
                throw RecoveryError(beginningIn: error)
            }
        } else {
            file?.logIfUnused(by: journal, encoder, logger)
        }
        version = journal.version
        let programs: [WritingProgram]
        do {
            programs = try ProgramComparison(
                journal: journal,
                forms: replay.forms,
                progress: progress
            ).run()
        } catch {
            throw RecoveryError(error, version: version)
        }
        state = try replayed?.state(version) ?? replay.recover(version, showing: progress)
        self.program = try Self.register(programs, in: journal)
    }

    /// Has the journal keep the forms of what is appended from now on.
    ///
    /// - Returns: the number of the last.
    private static func register(
        _ programs: [WritingProgram],
        in journal: any Journal
    ) throws(RecoveryError) -> UInt32 {
        var number: UInt32 = 0
        do {
            for program in programs { number = try journal.register(program) }
        } catch {
            throw RecoveryError(registeringIn: error)
        }
        return number
    }

    /// Has the journal keep the names of imported records whose program is not known, and this
    /// program as the last, which has read all of them.
    package func registerAgain(behind names: Set<String>) throws(RecoveryError) {
        let older = names.isEmpty ? [] : [ProgramForms(names: names.sorted()).program]
        _ = try Self.register(older + [replay.forms.today.program], in: journal)
    }

    /// Reads the actions of records that other servers have appended. One thread at a time may call
    /// it.
    package var action: @Sendable (Record) throws -> (any Action)? {
        let reader = Locked(RecordReader(replay.forms))
        return { record in
            let read = reader.withLock { reader in
                Result { () throws(UnreadableRecord) in try reader.action(of: record) }
            }
            do throws(UnreadableRecord) {
                return try read.get()
            } catch {
                throw Refusal(reason: error.reason)
            }
        }
    }

    /// Makes states of a journal again as this server does.
    package static func replay(
        of program: Program<State>,
        in journal: any Journal,
        registry: ActionRegistry<State>,
        _ replayed: ReplayedState<State>? = nil
    ) -> Replay<State> {
        let forms = replayed?.forms ?? RecordForms(registry.table, program.migrations)
        forms.use(journal)
        return Replay(
            initial: program.state,
            forms: forms,
            reducer: program.reducer,
            connect: program.connect,
            journal: journal,
            form: replayed?.form ?? Self.form
        )
    }

    /// Identifies the form of the state's type: the SHA-256 of its JSON Schema.
    package static var form: String {
        JSONSchema.schema(of: State.self).withUnsafeBytes { SHA256.hex($0) }
    }
}

/// What was made of a journal while it was opened.
package struct ReplayedState<State: Sendable> {
    /// Identifies the form of the state's type, as ``RecoveredHistory/form`` does.
    let form: String
    /// How the records were read.
    let forms: RecordForms
    /// The state of a version; `nil` where it was not made.
    package let state: (UInt64) -> State?

    package init(form: String, forms: RecordForms, state: @escaping (UInt64) -> State?) {
        self.form = form
        self.forms = forms
        self.state = state
    }
}
