import StoreEventStream
import StoreWire

/// Pieces of the log as viewers may read them, which differ from those that all share. Kept for
/// the readers of a session or role, and while a reader takes one in several turns.
///
/// Bounded: all go when they would take more than ``bytesMax``.
struct SeenPieces {
    /// The most bytes that they take.
    static let bytesMax = 4 << 20

    private struct Key: Hashable {
        let piece: ObjectIdentifier
        let viewer: Viewer
    }

    /// With the piece that each was made of, so that no other can have its identity.
    private var pieces: [Key: (all: LogPiece, seen: LogPiece)] = [:]
    private var bytes = 0

    /// A piece as a viewer may read it; the piece itself where all of it is visible.
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
