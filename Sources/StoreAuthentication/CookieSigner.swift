import StoreJSON
import StorePlatform
import StoreTexts

/// The signer that makes and reads the server's own tokens: the values of the cookie `store-auth`.
///
/// A value has three parts: the claims, as JSON in base64url; a full stop; the HMAC-SHA256 of the
/// claims.
struct CookieSigner: Sendable {
    /// The longest value that is read, in bytes. The server makes only shorter values, and browsers
    /// accept values of this length.
    static let bytesMax = 3_800
    private static let keyBytesCount = 32
    /// A prefix of the signed text. With the prefix, no HMAC for another purpose is valid for a
    /// cookie.
    private static let domainPrefix = Array("store-server cookie 1\n".utf8)

    private let key: [UInt8]

    /// Reads the key from the file, or makes the key and the file if the file does not exist. If
    /// `path` is `nil`, makes a key for this process.
    init(file path: String?) throws(CredentialFileError) {
        if let path, let file = try CredentialFile.readIfThere(path) {
            try file.checkOwnerOnly()
            guard file.bytes.count == Self.keyBytesCount else {
                throw CredentialFileError(
                    path,
                    "expected a key of \(Self.keyBytesCount) bytes; if you remove the file, the "
                        + "server makes a new key, and all cookies become invalid"
                )
            }
            key = file.bytes
            return
        }
        do { key = try Secrets.random(bytes: Self.keyBytesCount) } catch {
            throw CredentialFileError("making the key for cookies failed: \(error)")
        }
        guard let path else { return }
        do throws(AtomicFileError) { try AtomicFile.write(key, to: path, mode: 0o600) } catch {
            throw CredentialFileError("\(error)")
        }
    }

    /// Returns the value of a cookie that is valid until `end`; `nil` only if GnuTLS fails.
    func value(for principal: Principal, until end: Int64) -> String? {
        var json = JSONWriter()
        json.object { json in
            json.member("principal", principal.name)
            json.member("role", principal.role)
            json.member("credential", principal.credential.description)
            json.member("expires", end)
        }
        let claims = Base64URL.encode(json.byteArray)
        guard let mac = mac(of: claims) else { return nil }
        return String(decoding: claims + [UInt8(ascii: ".")] + Base64URL.encode(mac), as: UTF8.self)
    }

    /// Returns the principal in a cookie's value. Checks the signature and the end of the cookie,
    /// but not the principal's credential.
    func principal(
        of value: UnsafeRawBufferPointer,
        at now: Int64
    ) throws(AuthenticationError) -> Principal {
        let parts = value.split(
            separator: UInt8(ascii: "."),
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        guard parts.count == 2, let shown = Base64URL.decode(parts[1]),
            let mac = mac(of: Array(parts[0])), Secrets.isSame(shown, mac),
            let text = Base64URL.decode(parts[0]),
            let claims = try? JSONDocument(parsing: text, limits: JSONLimits()).root,
            let name = claims.member("principal")?.stringValue,
            let role = claims.member("role")?.stringValue,
            let credential = claims.member("credential")?.stringValue.flatMap({ CredentialID($0) }),
            let end = claims.member("expires")?.intValue
        else { throw .malformedCookie }
        let principal = Principal(
            name: name,
            role: role,
            credential: credential,
            expiresAt: Int64(end)
        )
        guard !principal.isExpired(at: now) else { throw .expiredCookie }
        return principal
    }

    private func mac(of claims: [UInt8]) -> [UInt8]? {
        try? Secrets.mac(of: Self.domainPrefix + claims, by: key)
    }
}
