package import StoreCore
import StoreJSON
import StorePlatform
import StoreWire

/// The action that last changed a part of the state.
package struct Blame: Sendable {
    /// The record of the action; `nil` if no action in the searched range changed the part.
    package let record: Record?
    /// The version before the searched range: the search covered each later action, up to the
    /// requested version.
    package let searchedAfter: UInt64
    /// True if the action was found, or if the search reached the first action of history.
    package let isComplete: Bool

    /// The result for a viewer that is not allowed to read the action. The viewer learns only the
    /// version at which the search ended.
    package var hidingRecord: Blame {
        guard let record else { return self }
        return Blame(record: nil, searchedAfter: record.version - 1, isComplete: false)
    }
}

/// A search for the last action that changed a part of the state. The search replays the records
/// after the newest snapshot, then the records between the two newest snapshots, and so on. The
/// search ends at the first range with a change, or at the deadline.
struct BlameSearch<State: Codable & Sendable, Encoded: EncodedState> {
    let replay: Replay<State>
    let epoch: Epoch
    let encode: StateEncoding<State, Encoded>
    let pointer: JSONPointer
    let viewer: Viewer
    let deadline: Deadline

    func run(at version: UInt64) throws(ReplayError) -> Blame {
        var end = version
        do throws(ReplayError) {
            while end > 0, !deadline.isOver {
                var base = try replay.base(for: end - 1)
                let start = base.version
                if let record = try lastChange(&base, through: end) {
                    return Blame(
                        record: record,
                        searchedAfter: record.version - 1,
                        isComplete: true
                    )
                }
                end = start
            }
        } catch {
            switch error {
            case .gone, .forgotten, .deadlinePassed: break
            default: throw error
            }
        }
        return Blame(record: nil, searchedAfter: end, isComplete: end == 0)
    }

    private func lastChange(
        _ base: inout Replay<State>.Base,
        through end: UInt64
    ) throws(ReplayError) -> Record? {
        var part = part(of: base.state, at: base.version)
        var found: Record?
        try replay.advance(&base, through: end, until: deadline) { record, state in
            guard record.changed else { return true }
            let next = self.part(of: state, at: record.version)
            if next != part {
                part = next
                found = copy record
            }
            return true
        }
        return found
    }

    private func part(of state: State, at version: UInt64) -> Bytes? {
        let tag = Tag(epoch: epoch, version: version)
        return (try? encode(state, tag))?.part(at: pointer, for: viewer)
    }
}
