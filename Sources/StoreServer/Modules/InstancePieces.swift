import Locks
import StoreCore
import Synchronization
import Wire

/// The instances of a module as one version has them, each encoded by itself.
///
/// A version shares with the one before what has not changed, and all of what nobody has asked for
/// yet: the object that they make together is put together once, for who wants it.
final class InstancePieces: Sendable {
    private let pieces: SortedTable<Bytes>
    private let whole = Locked<Bytes?>(nil)

    init(_ pieces: SortedTable<Bytes>) {
        self.pieces = pieces
    }

    /// The ids, sorted.
    var ids: [String] { pieces.map(\.key) }

    /// The part of their object that a pointer leads to, or `nil` where it leads nowhere. Only the
    /// instance that it leads into is read, and none where it leads to an instance.
    func part(at pointer: JSONPointer) -> Bytes? {
        guard let id = pointer.tokens.first else { return joined }
        return pieces[id]?.part(at: JSONPointer(tokens: Array(pointer.tokens.dropFirst())))
    }

    /// Whether a pointer leads into an instance that others have otherwise, or to all of them.
    func differs(from others: InstancePieces, at pointer: JSONPointer) -> Bool {
        guard let id = pointer.tokens.first else { return true }
        return pieces[id] != others.pieces[id]
    }

    /// The same with other pieces in some places; `nil` where all of these are as they were.
    func with(_ renewed: [(id: String, piece: Bytes?)]) -> InstancePieces? {
        var pieces = pieces
        for (id, piece) in renewed where pieces[id] != piece { pieces[id] = piece }
        return pieces.isIdentical(to: self.pieces) ? nil : InstancePieces(pieces)
    }

    /// The object of all instances. Any thread; whoever asks first puts it together, the others wait
    /// for that.
    var joined: Bytes {
        whole.withLock { whole in
            if let whole { return whole }
            let bytes = pieces.reduce(2) { $0 + $1.key.utf8.count + $1.value.count + 4 }
            var json = JSONWriter(capacity: bytes)
            json.object { json in
                for (id, piece) in pieces {
                    json.key(id)
                    json.raw(piece)
                }
            }
            let joined = json.bytes
            whole = joined
            return joined
        }
    }
}
