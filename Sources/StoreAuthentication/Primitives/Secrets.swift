import CStoreGnuTLS

/// Operations on secrets, by GnuTLS: random bytes, HMAC-SHA256, and comparison.
enum Secrets {
    static let macBytesCount = 32

    /// Returns random bytes for a long-lived key.
    static func random(bytes count: Int) throws(CredentialKeyFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        try CredentialKeyFailure.check(gnutls_rnd(GNUTLS_RND_KEY, &bytes, count))
        return bytes
    }

    /// Returns the HMAC-SHA256 (RFC 2104) of a text.
    static func mac(of text: [UInt8], by key: [UInt8]) throws(CredentialKeyFailure) -> [UInt8] {
        var mac = [UInt8](repeating: 0, count: macBytesCount)
        try CredentialKeyFailure.check(
            gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key.count, text, text.count, &mac)
        )
        return mac
    }

    /// Returns true if both arrays have the same bytes. The time of the comparison depends only on
    /// the lengths of the arrays.
    static func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && gnutls_memcmp(a, b, a.count) == 0
    }
}

/// The bytes of a credential. The time of a comparison does not depend on the bytes.
package struct SecretBytes: Sendable {
    private var bytes: [UInt8] = []

    /// Makes a value without bytes.
    package init() {}

    /// Replaces the bytes, in the same memory if the new bytes fit.
    package mutating func replace(by shown: UnsafeRawBufferPointer) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: shown)
    }

    /// Returns true if the bytes are the same. The number of bytes is no secret.
    ///
    /// Cost: one step for every eight bytes.
    package func isSame(as shown: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == shown.count else { return false }
        return bytes.withUnsafeBytes { mine in
            var difference: UInt64 = 0
            var place = 0
            while place + 8 <= mine.count {
                difference |=
                    mine.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                    ^ shown.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                place += 8
            }
            while place < mine.count {
                difference |= UInt64(mine[place] ^ shown[place])
                place += 1
            }
            return difference == 0
        }
    }
}
