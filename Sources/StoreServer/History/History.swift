import Digest
import Platform
import StoreCore
import Synchronization
import Wire

/// A store's history as a start finds it: where it is kept, how it is replayed, and the state that it
/// leads to.
struct History<State: Codable & Equatable & Sendable>: Sendable {
    let journal: any Journal
    let replay: Replay<State>
    /// The version that the server goes on from. Other servers may have taken the journal further since.
    let version: UInt64
    /// The state of that version.
    let state: State

    var epoch: Epoch { Epoch(rawValue: journal.epoch) }

    /// Reads what is there, or begins.
    ///
    /// - Parameters:
    ///   - file: what to begin with, if not with the program's own state.
    ///   - replayed: what was made of the journal while it was opened.
    /// - Throws: ``RecoveryError`` where the journal can't be gone on from, ``ConfigurationError`` where
    ///   the file is needed and can't be used; what the encoder says where the initial state has no
    ///   JSON form.
    init(
        of server: StoreServer<State>,
        in journal: any Journal,
        registry: ActionRegistry<State>,
        encoder: JSONEncoder,
        beginningWith file: StateFile<State>? = nil,
        replayed: OpeningReplay<State>? = nil
    ) throws {
        self.journal = journal
        replay = Self.replay(of: server, in: journal, registry: registry, replayed?.form)
        let form = replay.form
        if journal.version == 0, journal.oldestSnapshot == nil {
            // Later programs may begin with another state; this history began with this one.
            let given = try file?.read()
            let first = StateSnapshot(
                version: 0,
                time: SystemClock().now(),
                state: try encoder.encode(given ?? server.state),
                form: given == nil ? form : form + GivenState.mark
            )
            do {
                try journal.save(first)
            } catch {
                throw RecoveryError(beginningIn: error)
            }
        } else {
            file?.sayUnused(by: journal, encoder)
        }
        version = journal.version
        state = try replayed?.state(of: version) ?? replay.recover(version)
    }

    /// Reads the actions of records that other servers have appended. One thread at a time may call it.
    var action: @Sendable (Record) throws -> (any Action)? {
        let reader = Locked(RecordReader(replay.registry.table, replay.migrations))
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
    static func replay(
        of server: StoreServer<State>,
        in journal: any Journal,
        registry: ActionRegistry<State>,
        _ form: String? = nil
    ) -> Replay<State> {
        Replay(
            initial: server.state,
            registry: registry,
            migrations: server.migrations,
            reducer: server.reducer,
            journal: journal,
            form: form ?? Self.form
        )
    }

    /// Tells the form of the state's type from others: what its JSON Schema says.
    static var form: String {
        JSONSchema.schema(of: State.self).withUnsafeBytes { SHA256.hex($0) }
    }
}
