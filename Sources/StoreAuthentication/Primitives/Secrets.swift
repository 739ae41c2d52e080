import CStoreGnuTLS

/// Operations on secrets by GnuTLS: random bytes, HMAC-SHA256, and comparison.
enum Secrets {
    static let macBytesCount = 32

    /// Returns random bytes for a long-lived key.
    static func random(bytes count: Int) throws(GnuTLSFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        try GnuTLSFailure.check(gnutls_rnd(GNUTLS_RND_KEY, &bytes, count))
        return bytes
    }

    /// Returns the HMAC-SHA256 (RFC 2104) of a text.
    static func mac(of text: [UInt8], by key: [UInt8]) throws(GnuTLSFailure) -> [UInt8] {
        var mac = [UInt8](repeating: 0, count: macBytesCount)
        try GnuTLSFailure.check(
            gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key.count, text, text.count, &mac)
        )
        return mac
    }

    /// Returns true if both are the same, in a time that depends only on their length.
    static func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && gnutls_memcmp(a, b, a.count) == 0
    }
}
