package import StoreCore
import StorePlatform
import StoreTexts
import Synchronization

/// The port that finds the readers of records of restricted slices.
package protocol RecordReadersFinder: Sendable {
    /// Returns the names of the readers of each record, by its version. The records have ascending
    /// versions. A record without an entry is hidden from all clients.
    ///
    /// A record has the readers that its slice has after the action. The record that ends a slice
    /// has the readers that the slice had before.
    func readers(of records: [RestrictedRecord]) -> [UInt64: [String]]
}

/// A record on a restricted slice.
package struct RestrictedRecord {
    package let version: UInt64
    /// The name of the module.
    package let module: String
    /// The id of the instance; `nil` for a single slice.
    package let instance: String?
}

/// The readers of records, found by a replay: the readers are a part of the state.
///
/// The last states are kept, so a reader that follows the log replays each record once. The records
/// of forgotten states are hidden. Any thread may call the functions, which wait for the disk.
package final class ReplayedReaders<State: Codable & Sendable>: RecordReadersFinder {
    /// The maximum time of the replay for one page of records, in seconds.
    static var secondsMax: Double { 5 }
    /// The maximum number of actions between a kept state and a record for a replay from the kept
    /// state. If more actions lie between them, a snapshot may be read.
    static var nearActionsMax: UInt64 { 1_000 }
    /// The maximum number of states that are kept.
    static var cachedStatesMax: Int { 4 }

    private let replay: Replay<State>
    private let readersOfSlice: @Sendable (State, RestrictedRecord) -> Readers?
    /// The kept states, in the order of their last use.
    private let cachedStates = Locked<[Replay<State>.Base]>([])

    /// Makes the port. `readers` returns the readers of a record's slice in a state, or `nil` if
    /// the slice is absent.
    package init(
        _ replay: Replay<State>,
        readers: @escaping @Sendable (State, RestrictedRecord) -> Readers?
    ) {
        self.replay = replay
        self.readersOfSlice = readers
    }

    package func readers(of records: [RestrictedRecord]) -> [UInt64: [String]] {
        let forgotten = (replay.journal as? any ForgettingJournal)?.oldestRestorableVersion ?? 0
        cachedStates.withLock { $0.removeAll { $0.version < forgotten } }
        var pending = records.drop { $0.version <= forgotten }
        guard let first = pending.first, let last = pending.last, first.version > 0 else {
            return [:]
        }
        var found: [UInt64: [String]] = [:]
        do throws(ReplayError) {
            let deadline = Deadline(seconds: Self.secondsMax)
            var base = try base(before: first.version)
            try replay.advance(&base, through: first.version - 1, until: deadline)
            var before = base.state
            try replay.advance(&base, through: last.version, until: deadline) { record, state in
                if let next = pending.first, next.version == record.version {
                    pending.removeFirst()
                    let readers = readersOfSlice(state, next) ?? readersOfSlice(before, next)
                    found[next.version] = readers?.names ?? []
                }
                before = state
                return true
            }
            cacheBase(base)
        } catch {
            // The records that the replay did not reach stay hidden.
        }
        return found
    }

    /// Returns the newest known state before a version: a kept state, or the state of a snapshot.
    private func base(before version: UInt64) throws(ReplayError) -> Replay<State>.Base {
        let kept = cachedStates.withLock { states in
            states.filter { $0.version < version }.max { $0.version < $1.version }
        }
        guard let kept else { return try replay.base(for: version - 1) }
        // From a state that is near, the replay takes less time than reading a snapshot.
        guard version - kept.version > Self.nearActionsMax else { return kept }
        guard let stored = try? replay.base(for: version - 1), stored.version > kept.version
        else { return kept }
        return stored
    }

    private func cacheBase(_ base: Replay<State>.Base) {
        cachedStates.withLock { states in
            if states.count == Self.cachedStatesMax { states.removeFirst() }
            states.append(base)
        }
    }
}
