import StoreCore
import StoreJSON
import StorePlatform
import Synchronization

/// The separately encoded pieces of a slice in one version: the instances of a module, or the
/// pending effects. Unchanged pieces are shared with the version before.
package final class EncodedPieces: Sendable {
    private let pieces: SortedTable<Bytes>
    /// The arrangement of the pieces on the wire.
    let layout: PieceLayout
    private let joinedBytes = JoinedBytes()

    init(_ pieces: SortedTable<Bytes>, _ form: PieceLayout = .object) {
        self.pieces = pieces
        self.layout = form
    }

    var count: Int { pieces.count }

    /// The ids, sorted.
    package var ids: [String] { pieces.map(\.key) }

    /// Returns the location of a part of the slice. If the layout is `object`, reads only the piece
    /// that the pointer leads into.
    func location(of pointer: JSONPointer) -> PartLocation {
        guard let id = pointer.tokens.first else { return .resolved(joined) }
        guard layout == .object else { return .inDocument(joined, pointer) }
        guard let piece = pieces[id] else { return .resolved(nil) }
        guard pointer.tokens.count > 1 else { return .resolved(piece) }
        return .inDocument(piece, pointer.withoutFirstToken)
    }

    /// Returns the names of the pieces that differ from `others`, without visiting shared pieces.
    func ids(changedSince others: EncodedPieces) -> [String] {
        var names: [String] = []
        pieces.forEachDifference(from: others.pieces) { name, mine, theirs in
            if mine != theirs { names.append(name) }
            return true
        }
        return names
    }

    /// Returns true if the name of a piece has this prefix.
    func hasName(withPrefix prefix: String) -> Bool { !pieces.keys(withPrefix: prefix).isEmpty }

    /// Returns true if there is a piece of this name.
    package func has(_ name: String) -> Bool { pieces[name] != nil }

    subscript(name: String) -> Bytes? { pieces[name] }

    /// Returns a copy with the pieces in `renewed`, and the number of new bytes; `nil` if no piece
    /// differs.
    func replacing(_ renewed: [(id: String, piece: Bytes?)]) -> (pieces: EncodedPieces, bytes: Int)?
    {
        var pieces = pieces
        var bytes = 0
        for (id, piece) in renewed where pieces[id] != piece {
            bytes += piece?.byteCount(notSharedWith: pieces[id]) ?? 0
            pieces[id] = piece
        }
        guard !pieces.isIdentical(to: self.pieces) else { return nil }
        return (EncodedPieces(pieces, layout), bytes)
    }

    /// True if ``joined`` is cheap to make, and its bytes are cheap to copy into contiguous memory.
    var isCheapToJoin: Bool { joinedBytes.isCheapToFind(count) }

    /// The slice as JSON. If the layout is `object`, the result is a document whose only table has
    /// the pieces as rows.
    var joined: Bytes {
        joinedBytes.value {
            if layout == .object { return Bytes(table: EncodedPieceRows(pieces)) }
            let bytes = pieces.reduce(2) { $0 + $1.key.utf8.count + $1.value.count + 4 }
            var json = JSONWriter(capacity: bytes)
            json.object { json in
                switch layout {
                case .object, .objectBySession:
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
            return json.bytes
        }
    }
}

/// The pieces of a slice as the rows of a table.
private struct EncodedPieceRows: EncodedRows {
    let pieces: SortedTable<Bytes>
    let memberByteCount: Int

    init(_ pieces: SortedTable<Bytes>) {
        self.pieces = pieces
        memberByteCount = pieces.sum { JSONText.quotedByteCount(of: $0) + 2 + $1.count }
    }

    var count: Int { pieces.count }

    subscript(name: String) -> Bytes? { pieces[name] }

    func forEachRow(from name: String?, _ body: (_ name: String, _ row: Bytes) -> Bool) {
        var members = pieces.makeIterator(from: name)
        while let (key, piece) = members.next(), body(key, piece) {}
    }

    func forEachDifference(
        from old: any EncodedRows,
        _ body: (_ name: String, _ new: Bytes?, _ old: Bytes?) -> Bool
    ) {
        let old = (old as? EncodedPieceRows)?.pieces ?? SortedTable()
        pieces.forEachDifference(from: old, body)
    }
}

/// The joined bytes of several pieces. The first reader joins the pieces. Any thread may read the
/// bytes.
struct JoinedBytes: ~Copyable {
    /// The most pieces that are joined on the event loop.
    private static let quickPiecesMax = 64

    private let bytes = Locked<Bytes?>(nil)
    private let wasJoined = Atomic(false)

    /// Returns true if there are few pieces, or the pieces are joined already. Never waits for
    /// another thread that joins the pieces.
    func isCheapToFind(_ count: Int) -> Bool {
        count <= Self.quickPiecesMax
            || wasJoined.load(ordering: .relaxed)
                && bytes.withLock { $0?.isCheapToJoin == true }
    }

    /// Returns the joined bytes. The first caller makes the bytes, and other callers wait for the
    /// result.
    func value(makingWith make: () -> Bytes) -> Bytes {
        bytes.withLock { bytes in
            if let bytes { return bytes }
            let made = make()
            bytes = made
            wasJoined.store(true, ordering: .relaxed)
            return made
        }
    }
}
