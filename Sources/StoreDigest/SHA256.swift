import CStoreNettle

/// SHA-256 (FIPS 180-4), computed by the library nettle.
package enum SHA256 {
    /// The number of bytes of a digest.
    package static let bytesCount = 32

    /// Returns the digest of these bytes.
    package static func digest(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytesCount) { buffer, count in
            guard let output = buffer.baseAddress else { return }
            digest(bytes, into: output)
            count = bytesCount
        }
    }

    /// Writes the digest of these bytes into ``bytesCount`` bytes of memory, without an array.
    package static func digest(
        _ bytes: UnsafeRawBufferPointer,
        into output: UnsafeMutablePointer<UInt8>
    ) {
        var context = sha256_ctx()
        nettle_sha256_init(&context)
        if let input = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) {
            nettle_sha256_update(&context, bytes.count, input)
        }
        nettle_sha256_digest(&context, bytesCount, output)
    }

    /// Returns the digest of these bytes in lower-case hexadecimal digits.
    package static func hexDigest(_ bytes: UnsafeRawBufferPointer) -> String {
        hexDigits(of: digest(bytes))
    }

    /// Returns the lower-case hexadecimal digits of a digest.
    package static func hexDigits(of digest: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }
}
