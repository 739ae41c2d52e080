import StoreEventStream
import StoreWire

/// The pieces of the log that were read last, for all readers together.
///
/// History is cut into blocks of versions, so that readers that begin at different places soon ask
/// for the same pieces. Where the bytes are at their bound, the piece that was used longest ago
/// goes.
struct LogCache {
    /// How many versions a block has; no piece reaches beyond one.
    static let blockVersions: UInt64 = 256
    /// The most bytes of payload and meta that one piece is made of, unless it is of one record.
    static let pieceBytesMax = 256 << 10
    /// A piece that is shorter is replaced by a longer one rather than followed by another.
    static let shortBytes = 16 << 10
    /// What a piece takes at least, as the bound counts it.
    static let chargeMin = 4 << 10

    private struct Entry {
        let piece: LogPiece
        var used: UInt64

        /// Its bytes, and what is needed to find its frames and those who may read them.
        var charge: Int {
            let owners = piece.owners.count * MemoryLayout<RecordOwner>.stride
            return max(chargeMin, piece.bytes.count + 8 * piece.ends.count + owners)
        }
    }

    let bytesMax: Int
    private var blocks: [UInt64: [Entry]] = [:]
    private var clock: UInt64 = 0
    /// What the pieces take, as the bound counts it.
    private(set) var bytes = 0

    init(bytesMax: Int = 4 << 20) {
        self.bytesMax = bytesMax
    }

    /// The first and the last version of the block that has this one.
    static func block(of version: UInt64) -> ClosedRange<UInt64> {
        let first = (max(version, 1) - 1) / blockVersions * blockVersions + 1
        return first...(first + min(blockVersions - 1, .max - first))
    }

    /// The piece that has a version.
    mutating func piece(with version: UInt64) -> LogPiece? {
        let block = Self.block(of: version).lowerBound
        guard let place = blocks[block]?.firstIndex(where: { $0.piece.contains(version) }) else {
            return nil
        }
        clock += 1
        blocks[block]?[place].used = clock
        return blocks[block]?[place].piece
    }

    /// Keeps a piece, in place of one that it begins with.
    mutating func insert(_ piece: LogPiece) {
        let block = Self.block(of: piece.first).lowerBound
        clock += 1
        let entry = Entry(piece: piece, used: clock)
        for old in blocks[block, default: []] where old.piece.first == piece.first {
            bytes -= old.charge
        }
        blocks[block, default: []].removeAll { $0.piece.first == piece.first }
        blocks[block, default: []].append(entry)
        bytes += entry.charge
        while bytes > bytesMax, removeOldest(but: clock) {}
    }

    /// Forgets the piece that was used longest ago, but for the one that was used just now.
    private mutating func removeOldest(but newest: UInt64) -> Bool {
        var oldest: (block: UInt64, used: UInt64) = (0, newest)
        for (block, entries) in blocks {
            for entry in entries where entry.used < oldest.used { oldest = (block, entry.used) }
        }
        guard oldest.used < newest,
            let place = blocks[oldest.block]?.firstIndex(where: { $0.used == oldest.used }),
            let entry = blocks[oldest.block]?.remove(at: place)
        else { return false }
        bytes -= entry.charge
        if blocks[oldest.block]?.isEmpty == true { blocks[oldest.block] = nil }
        return true
    }
}
