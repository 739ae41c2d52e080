package import StoreCore
import StoreEventStream
import StorePlatform
import StorePublishing
import StoreWire

/// Which action last changed a part of the state.
package struct Blame: Sendable {
    /// The action; `nil` where none that was looked at changed it.
    package let record: Record?
    /// Every action after this version was looked at.
    package let after: UInt64
    /// Whether no earlier action could have changed it, or one was found.
    package let isComplete: Bool

    /// The same for a reader who may not read the action: it learns where the search has ended.
    package var withoutRecord: Blame {
        guard let record else { return self }
        return Blame(record: nil, after: record.version - 1, isComplete: false)
    }
}

/// Looks for the last action that changed a part of the state: replays the stretch behind the
/// newest snapshot, then the one before it, and so on, until it is found or the time is over.
struct BlameSearch<State: Codable & Sendable> {
    let replay: Replay<State>
    let epoch: Epoch
    let encode: StateEncoding<State>
    let pointer: JSONPointer
    /// As whom the state is looked at.
    let viewer: Viewer
    let deadline: Deadline

    func run(at version: UInt64) throws(ReplayError) -> Blame {
        var end = version
        while end > 0 {
            if deadline.isOver { return Blame(record: nil, after: end, isComplete: false) }
            var base: Replay<State>.Base
            do {
                base = try replay.base(for: end - 1)
            } catch {
                guard case .gone = error else { throw error }
                return Blame(record: nil, after: end, isComplete: false)
            }
            do {
                if let record = try lastChange(&base.state, after: base.version, through: end) {
                    return Blame(record: record, after: record.version - 1, isComplete: true)
                }
            } catch {
                guard case .tooLong = error else { throw error }
                return Blame(record: nil, after: end, isComplete: false)
            }
            end = base.version
        }
        return Blame(record: nil, after: 0, isComplete: true)
    }

    private func lastChange(
        _ state: inout State,
        after start: UInt64,
        through end: UInt64
    ) throws(ReplayError) -> Record? {
        var part = part(of: state, at: start)
        var found: Record?
        try replay.advance(&state, after: start, through: end, until: deadline) { record, state in
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

    /// The part as bytes: the same value always has the same.
    private func part(of state: State, at version: UInt64) -> Bytes? {
        let tag = Tag(epoch: epoch, version: version)
        guard let snapshot = try? encode(state, tag) else { return nil }
        return ParsedDocuments().part(at: pointer, in: snapshot.visible(to: viewer))
    }
}
