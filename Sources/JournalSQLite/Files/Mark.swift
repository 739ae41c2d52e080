/// How far a history went, for noticing that its end is missing.
struct Mark: Equatable, Sendable {
    /// What it takes in the file, with its sum.
    static let bytesCount = 96
    private static let magic: UInt64 = 0x314B_5241_4D4C_4A53  // "SJLMARK1"

    /// Counts the marks; of two the higher is the newer.
    var sequence: UInt64
    var epoch: UInt32
    var end: Link

    init(sequence: UInt64, epoch: UInt32, end: Link) {
        self.sequence = sequence
        self.epoch = epoch
        self.end = end
    }

    /// Reads one slot; `nil` where it is torn or was never written.
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
        end = Link(version: version, hash: hash)
    }

    /// Puts its bytes together.
    func put(into form: inout ByteForm) {
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
