import StoreCore
import StorePlatform
import StoreWire
import Synchronization

/// The pieces of a slice as one version has them, each encoded by itself: the instances of a
/// module, or the sessions.
///
/// A version shares with the one before what has not changed. What the pieces make together is put
/// together once, for the first reader of the whole.
package final class InstancePieces: Sendable {
    private let pieces: SortedTable<Bytes>
    /// How they stand together.
    let form: PieceForm
    private let whole = Locked<Bytes?>(nil)
    private let wasJoined = Atomic(false)

    init(_ pieces: SortedTable<Bytes>, _ form: PieceForm = .object) {
        self.pieces = pieces
        self.form = form
    }

    /// How many there are.
    var count: Int { pieces.count }

    /// The ids, sorted.
    package var ids: [String] { pieces.map(\.key) }

    /// Where a part of the whole is found. Of an object, only the piece that the pointer leads into
    /// is looked at.
    func place(of pointer: JSONPointer) -> PartPlace {
        guard let id = pointer.tokens.first else { return .found(joined) }
        guard form == .object else { return .within(joined, pointer) }
        guard let piece = pieces[id] else { return .found(nil) }
        guard pointer.tokens.count > 1 else { return .found(piece) }
        return .within(piece, JSONPointer(tokens: Array(pointer.tokens.dropFirst())))
    }

    /// The names of the pieces that others have otherwise. What both share is not looked at.
    func names(changedSince others: InstancePieces) -> [String] {
        var names: [String] = []
        pieces.forEachDifference(from: others.pieces) { name, mine, theirs in
            if mine != theirs { names.append(name) }
            return true
        }
        return names
    }

    /// Whether there is a piece of this name.
    package func has(_ name: String) -> Bool { pieces[name] != nil }

    /// The piece of a name.
    subscript(name: String) -> Bytes? { pieces[name] }

    /// The same with other pieces in some places, and how many bytes these have; `nil` where all of
    /// them are as they were.
    func with(_ renewed: [(id: String, piece: Bytes?)]) -> (pieces: InstancePieces, bytes: Int)? {
        var pieces = pieces
        var bytes = 0
        for (id, piece) in renewed where pieces[id] != piece {
            pieces[id] = piece
            bytes += piece?.count ?? 0
        }
        guard !pieces.isIdentical(to: self.pieces) else { return nil }
        return (InstancePieces(pieces, form), bytes)
    }

    /// Up to how many pieces are put together on the event loop.
    private static let quickMax = 64

    /// Whether ``joined`` costs little: there are few pieces, or it was asked for before.
    /// Never waits for a thread that puts them together just now.
    var isAtHand: Bool {
        pieces.count <= Self.quickMax || wasJoined.load(ordering: .relaxed)
    }

    /// All pieces together. Any thread; the first caller puts them together, the others wait for
    /// that.
    var joined: Bytes {
        whole.withLock { whole in
            if let whole { return whole }
            let bytes = pieces.reduce(2) { $0 + $1.key.utf8.count + $1.value.count + 4 }
            var json = JSONWriter(capacity: bytes)
            json.object { json in
                switch form {
                case .object, .objectOfSessions:
                    for (id, piece) in pieces {
                        json.key(id)
                        json.raw(piece)
                    }
                case .array(let name):
                    json.key(name)
                    json.array { json in
                        for (_, piece) in pieces { json.raw(piece) }
                    }
                }
            }
            let joined = json.bytes
            whole = joined
            wasJoined.store(true, ordering: .relaxed)
            return joined
        }
    }
}
