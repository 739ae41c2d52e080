import StoreEventStream
import StoreWire

/// Pieces of the log for viewers that may not read all records. They are cached for the readers of
/// a session or role, and for a reader that takes a piece in several turns.
///
/// Bounded: all are dropped before they would exceed ``bytesMax``.
struct SeenPieces {
    /// The most bytes of the pieces and their originals.
    static let bytesMax = 4 << 20

    private struct Key: Hashable {
        let piece: ObjectIdentifier
        let viewer: Viewer
    }

    /// The filtered pieces with their originals. The reference keeps the original alive, so that no
    /// other piece gets its identity.
    private var pieces: [Key: (all: LogPiece, seen: LogPiece)] = [:]
    private var bytes = 0

    /// Returns a piece as a viewer may read it; the piece itself if the viewer may read all of it.
    mutating func piece(_ piece: LogPiece, by viewer: Viewer) -> LogPiece {
        guard !viewer.seesAll, !piece.owners.isEmpty else { return piece }
        let key = Key(piece: ObjectIdentifier(piece), viewer: viewer)
        if let known = pieces[key] { return known.seen }
        let seen = piece.visible(to: viewer)
        if seen === piece { return piece }
        let charge = piece.bytes.count + seen.bytes.count + 16 * seen.ends.count
        if bytes + charge > Self.bytesMax {
            pieces = [:]
            bytes = 0
        }
        pieces[key] = (piece, seen)
        bytes += charge
        return seen
    }
}
