import CStoreNettle

/// HMAC (RFC 2104) with SHA-256, computed by the library nettle.
package enum HMAC {
    /// Returns the code of these bytes under a key, in lower-case hexadecimal digits.
    package static func hexCode(of bytes: [UInt8], key: [UInt8]) -> String {
        var context = hmac_sha256_ctx()
        nettle_hmac_sha256_set_key(&context, key.count, key)
        nettle_hmac_sha256_update(&context, bytes.count, bytes)
        var code = [UInt8](repeating: 0, count: SHA256.bytesCount)
        nettle_hmac_sha256_digest(&context, code.count, &code)
        return SHA256.hexDigits(of: code)
    }
}
