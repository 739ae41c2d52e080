import StoreCommandLine
import StoreCore
import StoreHistory
import StoreWire

/// Replays all records with this program's reducer, and compares the states with the snapshots in
/// the journal.
struct SnapshotComparison<State: Codable & Equatable & Sendable> {
    let replay: Replay<State>
    private let progress: ReplayProgress
    private let encoder = JSONEncoder()

    init(replay: Replay<State>, progress: ReplayProgress) {
        self.replay = replay
        self.progress = progress
    }

    /// Returns a line for the operator, with the numbers of replayed actions and compared
    /// snapshots.
    ///
    /// - Throws: `HistoryCommandError` if a state differs or can't be made again.
    func run() throws -> String {
        let end = replay.journal.version
        do {
            let snapshots = try snapshots(until: end)
            var base = try replay.base(for: snapshots.first?.version ?? 0)
            var compared = 0
            var different: UInt64?
            try replay.advance(
                &base.state,
                after: base.version,
                through: end,
                showing: progress
            ) { record, state in
                guard let then = snapshots.first(where: { $0.version == record.version }),
                    replay.isRead(then)
                else { return true }
                compared += 1
                if (try? encoder.encode(state)) == then.state { return true }
                different = record.version
                return false
            }
            if let different {
                throw HistoryCommandError(
                    "the state of version \(different) that this program makes differs from the "
                        + "snapshot of that version: its reducer has changed"
                )
            }
            let others = snapshots.filter { !replay.isRead($0) }.count
            return
                "\(end - base.version) actions replayed; snapshots compared: \(compared), different: 0"
                + (others > 0 ? ", of another form of the state, not compared: \(others)" : "")
        } catch let error as ReplayError {
            throw HistoryCommandError(RecoveryError(error, version: end).description)
        }
    }

    /// Returns the kept snapshots, oldest first.
    private func snapshots(until end: UInt64) throws(ReplayError) -> [StateSnapshot] {
        var found: [StateSnapshot] = []
        var version = end
        do {
            while let snapshot = try replay.journal.snapshot(atOrBefore: version) {
                found.insert(snapshot, at: 0)
                guard snapshot.version > 0 else { break }
                version = snapshot.version - 1
            }
        } catch {
            throw .journal(error)
        }
        return found
    }
}
