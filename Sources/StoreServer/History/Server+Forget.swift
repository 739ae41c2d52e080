import StoreActionCatalog
import StoreCore
import StoreHistory
import StoreJSON

extension Server {
    /// Forgets the owners in the file of the data directory, before the Core runs. This function
    /// itself reduces and appends the program's actions, without their effects. Returns a
    /// description for the log; `nil` if there is no file. Throws ``ForgetError``.
    func completeForget(
        _ history: RecoveredHistory<State>,
        _ registry: ActionRegistry<State>,
        _ configuration: ServerConfiguration
    ) throws -> String? {
        let file = ForgetFile(in: configuration.history.directory)
        guard let owners = file.owners else { return nil }
        guard let journal = history.journal as? any ForgettingJournal,
            let makeForgettingActions
        else { return nil }
        let encoder = JSONEncoder()
        var state = history.state
        var version = history.version
        var replay = RecordReplay(RecordReader(history.replay.forms))
        var records: [Record] = []
        let actions = owners.compactMap { OwnerName.principal(of: $0) }
            .flatMap(makeForgettingActions)
        for action in actions {
            let member = try registry.member(of: action, encoder)
            let before = state
            func record(changed: Bool) -> Record {
                Record(
                    version: version + 1,
                    time: SystemClock().now(),
                    type: member.type,
                    payload: member.payload,
                    changed: changed,
                    origin: ForgetOrigin.text,
                    program: history.programNumber
                )
            }
            do {
                try replay.reduce(record(changed: true)) { try reducer(&state, $0, $1, $2) }
            } catch {
                let reason = "the program refuses '\(member.type)': \(error)"
                file.refuse(because: reason)
                throw ForgetError.refused(reason)
            }
            records.append(record(changed: state != before))
            version += 1
        }
        journal.prepareForget(owners, origin: ForgetOrigin.text)
        do {
            for start in stride(from: 0, to: records.count, by: ForgetFile.actionsPerBatch) {
                let batch = JournalBatch(
                    records: Array(records[start...].prefix(ForgetFile.actionsPerBatch))
                )
                try journal.append(batch, at: journal.version)
            }
            let kept = try journal.forget(owners) { _ in
                StateSnapshot(
                    version: version,
                    time: SystemClock().now(),
                    state: try encoder.encode(state),
                    form: history.replay.stateFormDigest
                )
            }
            file.remove()
            return ForgetOrigin.description(of: owners, kept)
        } catch {
            throw ForgetError.failed("\(error)")
        }
    }
}

/// The texts about a forget, for the log and the journal.
enum ForgetOrigin {
    /// The origin of the program's action, in the log.
    static let text = "StoreServer/forget"

    static func description(of owners: [String], _ version: UInt64) -> String {
        let first = owners.first.map { OwnerName.principal(of: $0) ?? $0 } ?? ""
        let names = owners.count == 1 ? "\(first) is" : "\(owners.count) names are"
        return "\(names) forgotten; states before version \(version) are gone, and earlier "
            + "backups can't be started"
    }
}
