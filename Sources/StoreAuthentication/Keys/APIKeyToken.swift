import StoreDigest

/// The text of an API key: `ssk_<id>_<secret><checksum>`, 66 bytes.
///
/// The id is 12 characters of `a` to `z` and `2` to `7`. The secret is 256 random bits in
/// base64url. The checksum is the first six characters of the digest of all bytes before it, in
/// base64url.
///
/// A wrong checksum means that the key was mistyped. If the checksum is correct and the key is not
/// in the file, the key was revoked or belongs to another server.
package enum APIKeyToken {
    static let prefix = Array("ssk_".utf8)
    static let idLength = 12
    static let secretBytesCount = 32
    static let checksumLength = 6
    /// The length of a key in bytes.
    package static let byteCount = prefix.count + idLength + 1 + 43 + checksumLength

    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// Makes a new id, and a token with this id.
    static func make() throws(CredentialKeyFailure) -> (id: String, token: String) {
        let id = try Secrets.random(bytes: idLength).map { alphabet[Int($0 & 31)] }
        let secret = Base64URL.encode(try Secrets.random(bytes: secretBytesCount))
        let body = prefix + id + [UInt8(ascii: "_")] + secret
        return (
            String(decoding: id, as: UTF8.self),
            String(decoding: body + checksum(of: body), as: UTF8.self)
        )
    }

    /// Returns true if a token begins like an API key. No JWT begins in this way.
    static func hasPrefix(_ token: UnsafeRawBufferPointer) -> Bool { token.starts(with: prefix) }

    /// Returns the id in a token; `nil` if the token does not have the form of an API key. Makes no
    /// allocation.
    static func id(of token: UnsafeRawBufferPointer) -> String? {
        guard token.count == byteCount, token[prefix.count + idLength] == UInt8(ascii: "_") else {
            return nil
        }
        let id = token[prefix.count..<prefix.count + idLength]
        guard id.allSatisfy(isIDCharacter) else { return nil }
        return String(decoding: UnsafeRawBufferPointer(rebasing: id), as: UTF8.self)
    }

    /// Returns true if a text may be an id.
    static func isID(_ text: String) -> Bool {
        text.utf8.count == idLength && text.utf8.allSatisfy(isIDCharacter)
    }

    private static func isIDCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "2")...UInt8(ascii: "7"): true
        default: false
        }
    }

    /// Returns true if the last characters are the checksum of the bytes before them.
    static func hasValidChecksum(_ token: UnsafeRawBufferPointer) -> Bool {
        let body = Array(token.dropLast(checksumLength))
        return token.suffix(checksumLength).elementsEqual(checksum(of: body))
    }

    private static func checksum(of body: [UInt8]) -> ArraySlice<UInt8> {
        Base64URL.encode(body.withUnsafeBytes { SHA256.digest($0) }).prefix(checksumLength)
    }
}
