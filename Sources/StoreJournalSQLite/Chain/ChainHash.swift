import CStoreNettle

/// A hash of the chain: SHA-256 over a record and the hash of the record before it.
struct ChainHash: Equatable, Sendable {
    static let bytesCount = 32

    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    static func == (one: ChainHash, other: ChainHash) -> Bool { one.words == other.words }

    /// Makes a hash from its 32 bytes; `nil` for any other number of bytes.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.bytesCount else { return nil }
        words = bytes.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64).self)
    }

    /// Computes SHA-256 (FIPS 180-4) over these bytes.
    init(hashing bytes: UnsafeRawBufferPointer) {
        var context = sha256_ctx()
        nettle_sha256_init(&context)
        let input = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        if let input { nettle_sha256_update(&context, bytes.count, input) }
        withUnsafeMutableBytes(of: &words) { output in
            let digest = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            if let digest { nettle_sha256_digest(&context, Self.bytesCount, digest) }
        }
    }

    /// Computes the hash to which the first record of a history is chained.
    init(genesisOf epoch: UInt32) {
        var bytes = Array("store-server journal 1\n".utf8)
        withUnsafeBytes(of: epoch.bigEndian) { bytes.append(contentsOf: $0) }
        self = bytes.withUnsafeBytes { ChainHash(hashing: $0) }
    }

    /// The first eight bytes of the hash, for short checksums.
    var prefix: UInt64 { words.0 }

    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let copy = words
        return try withUnsafeBytes(of: copy, body)
    }

    @inline(__always)
    func store(to memory: UnsafeMutableRawPointer) {
        memory.storeBytes(of: words, as: (UInt64, UInt64, UInt64, UInt64).self)
    }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { ChainHash(bytes) == self }
}

/// A position in the chain: a version, and the hash of the record with that version.
struct ChainPosition: Equatable, Sendable {
    var version: UInt64
    var hash: ChainHash
}
