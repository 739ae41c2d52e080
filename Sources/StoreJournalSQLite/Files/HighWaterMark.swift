/// The last position of the chain that was written, in a file beside the database. A start reports
/// a loss if the database has fewer records.
struct HighWaterMark: Equatable, Sendable {
    /// The size of a mark in the file, with its checksum.
    static let bytesCount = 96
    private static let magic: UInt64 = 0x314B_5241_4D4C_4A53  // "SJLMARK1"

    /// The number of the write; the mark with the higher number is newer.
    var sequence: UInt64
    var epoch: UInt32
    var end: ChainPosition

    init(sequence: UInt64, epoch: UInt32, end: ChainPosition) {
        self.sequence = sequence
        self.epoch = epoch
        self.end = end
    }

    /// Reads one slot; `nil` if it is torn or was never written.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.bytesCount,
            bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self) == Self.magic,
            let hash = ChainHash(UnsafeRawBufferPointer(rebasing: bytes[32..<64])),
            let sum = ChainHash(UnsafeRawBufferPointer(rebasing: bytes[64..<96])),
            sum == ChainHash(hashing: UnsafeRawBufferPointer(rebasing: bytes[..<64]))
        else { return nil }
        sequence = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        let version = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        epoch = bytes.loadUnaligned(fromByteOffset: 24, as: UInt32.self)
        end = ChainPosition(version: version, hash: hash)
    }

    /// Replaces the bytes of a buffer with the form of the mark.
    func put(into form: inout CanonicalBytes) {
        form.clear()
        form.append(Self.magic)
        form.append(sequence)
        form.append(end.version)
        form.append(epoch)
        form.append(UInt32(0))
        end.hash.withBytes { _ = form.append($0) }
        form.hash.withBytes { _ = form.append($0) }
    }
}
