import StoreJSON
import StoreWire

/// A cache of pieces of the log, for all readers.
///
/// History is divided into blocks of versions. No piece crosses the end of its block. So readers
/// that begin at different versions soon need the same pieces. If the pieces have more bytes than
/// the bound allows, the cache drops the least recently used piece.
struct LogCache {
    /// The number of versions in a block. No piece crosses the end of its block.
    static let versionsPerBlock: UInt64 = 256
    /// The maximum number of bytes of payload and meta in a piece. A piece with a single record may
    /// have more bytes.
    static let pieceBytesMax = 256 << 10
    /// The number of bytes below which a piece is short. The next records extend a short piece;
    /// after a longer piece, they form a new piece.
    static let shortPieceBytes = 16 << 10
    /// The minimum number of bytes for which a piece counts in the cache's bound.
    static let chargeBytesMin = 4 << 10

    private struct Entry {
        let piece: LogPiece
        var lastUse: UInt64

        /// The bytes that the piece counts for: frames, ends of frames, owners of records.
        var chargeBytes: Int {
            let owners = piece.owners.count * MemoryLayout<RecordOwner>.stride
            return max(chargeBytesMin, piece.bytes.count + 8 * piece.frameEnds.count + owners)
        }
    }

    let bytesMax: Int
    private var entriesByBlock: [UInt64: [Entry]] = [:]
    private var useCount: UInt64 = 0
    /// The charges of all pieces together.
    private(set) var chargedBytes = 0

    init(bytesMax: Int = 4 << 20) { self.bytesMax = bytesMax }

    /// Returns the first and the last version of the block with this version.
    static func block(of version: UInt64) -> ClosedRange<UInt64> {
        let first = (max(version, 1) - 1) / versionsPerBlock * versionsPerBlock + 1
        return first...(first + min(versionsPerBlock - 1, .max - first))
    }

    mutating func piece(with version: UInt64) -> LogPiece? {
        let block = Self.block(of: version).lowerBound
        guard let place = entriesByBlock[block]?.firstIndex(where: { $0.piece.contains(version) })
        else {
            return nil
        }
        useCount += 1
        entriesByBlock[block]?[place].lastUse = useCount
        return entriesByBlock[block]?[place].piece
    }

    /// Adds a piece. Replaces a piece that begins with the same version.
    mutating func insert(_ piece: LogPiece) {
        let block = Self.block(of: piece.firstVersion).lowerBound
        useCount += 1
        let entry = Entry(piece: piece, lastUse: useCount)
        for old in entriesByBlock[block, default: []]
        where old.piece.firstVersion == piece.firstVersion {
            chargedBytes -= old.chargeBytes
        }
        entriesByBlock[block, default: []].removeAll { $0.piece.firstVersion == piece.firstVersion }
        entriesByBlock[block, default: []].append(entry)
        chargedBytes += entry.chargeBytes
        while chargedBytes > bytesMax, removeLeastRecentlyUsed(usedBefore: useCount) {}
    }

    /// Drops the least recently used piece, unless its last use has the number `newest`. Returns
    /// false if no piece was dropped.
    private mutating func removeLeastRecentlyUsed(usedBefore newest: UInt64) -> Bool {
        let oldest = entriesByBlock.values.joined().min { $0.lastUse < $1.lastUse }
        guard let oldest, oldest.lastUse < newest else { return false }
        let block = Self.block(of: oldest.piece.firstVersion).lowerBound
        entriesByBlock[block]?.removeAll { $0.lastUse == oldest.lastUse }
        if entriesByBlock[block]?.isEmpty == true { entriesByBlock[block] = nil }
        chargedBytes -= oldest.chargeBytes
        return true
    }
}

/// A cache of filtered pieces of the log: each piece has only the records that its viewer may read.
/// All readers of a session or of a role share these pieces. A reader that takes a piece in several
/// steps gets the same piece at each step.
///
/// The cache is bounded: it drops all pieces before their bytes would exceed ``bytesMax``.
struct ViewerPieces {
    /// The maximum number of bytes of the pieces and their originals.
    static let bytesMax = 4 << 20

    private struct Key: Hashable {
        let pieceID: ObjectIdentifier
        let viewer: Viewer
    }

    /// The filtered pieces with their originals. The reference keeps the original alive, so that no
    /// other piece gets the original's identity.
    private var pieces: [Key: (original: LogPiece, filtered: LogPiece)] = [:]
    private var chargedBytes = 0

    /// Returns a piece with only the records that the viewer may read; `piece` itself if the viewer
    /// may read all records.
    mutating func filtered(_ piece: LogPiece, for viewer: Viewer) -> LogPiece {
        guard !viewer.seesAll, !piece.owners.isEmpty else { return piece }
        let key = Key(pieceID: ObjectIdentifier(piece), viewer: viewer)
        if let known = pieces[key] { return known.filtered }
        let filtered = piece.filtered(for: viewer)
        if filtered === piece { return piece }
        let charge = piece.bytes.count + filtered.bytes.count + 16 * filtered.frameEnds.count
        if chargedBytes + charge > Self.bytesMax {
            pieces = [:]
            chargedBytes = 0
        }
        pieces[key] = (piece, filtered)
        chargedBytes += charge
        return filtered
    }
}
