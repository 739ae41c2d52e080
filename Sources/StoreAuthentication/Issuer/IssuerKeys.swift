import StoreDigest
import StoreTexts

/// The keys of an issuer, with which the server checks the issuer's tokens.
struct IssuerKeys: Sendable {
    /// The most keys in all files.
    static let countMax = 100
    /// The most keys that are tried for one token. A token with a wrong signature costs a check
    /// with each of these keys.
    static let triedKeysMax = 8

    private struct Entry: Sendable {
        let key: IssuerKey
        let credential: CredentialID
    }

    private let configuration: IssuerConfiguration
    private let entries: [Entry]

    /// Reads the files of all keys.
    init(_ configuration: IssuerConfiguration) throws(CredentialFileError) {
        self.configuration = configuration
        var entries: [Entry] = []
        for path in configuration.keyFiles {
            for key in try IssuerKeyFile.readKeys(at: path) {
                if let other = entries.first(where: { Self.areIndistinguishable($0.key, key) }) {
                    // The same key may be in two files while an operator replaces keys.
                    if other.key.fingerprint == key.fingerprint { continue }
                    throw CredentialFileError(
                        path,
                        "another \(key.algorithm.rawValue) key has the kid '\(key.id ?? "")', too; "
                            + "give each key a kid of its own"
                    )
                }
                entries.append(Entry(key: key, credential: Self.credential(key, configuration)))
            }
            guard entries.count <= Self.countMax else {
                throw CredentialFileError(
                    path,
                    "all files together have more than \(Self.countMax) keys, the maximum"
                )
            }
        }
        self.entries = entries
    }

    private static func areIndistinguishable(_ a: IssuerKey, _ b: IssuerKey) -> Bool {
        guard a.algorithm == b.algorithm else { return false }
        guard let id = a.id, let other = b.id else {
            return a.id == nil && b.id == nil && a.fingerprint == b.fingerprint
        }
        return id.isSame(as: other)
    }

    /// Returns the id of the credential that all tokens with this key's signature share. The id is
    /// a fingerprint of the issuer's name and of the key.
    private static func credential(
        _ key: IssuerKey,
        _ configuration: IssuerConfiguration
    ) -> CredentialID {
        let named = Array(configuration.name.utf8) + [0] + key.fingerprint
        return .issuer(key: String(named.withUnsafeBytes { SHA256.hexDigest($0) }.prefix(32)))
    }

    var count: Int { entries.count }

    /// Verifies a JWT, and returns its principal.
    ///
    /// Cost: a check of the signature, by at most ``triedKeysMax`` keys.
    func principal(
        of token: UnsafeRawBufferPointer,
        at now: Int64
    ) throws(AuthenticationError) -> Principal {
        let token = try JWT(token)
        let candidates = try candidates(for: token)
        guard let entry = candidates.first(where: { $0.key.hasSigned(token) }) else {
            throw .wrongSignature
        }
        let claims = try JWTClaims(token.parseClaims(), configuration, at: now)
        return Principal(
            name: claims.subject,
            role: claims.role,
            credential: entry.credential,
            expiresAt: claims.expiresAt
        )
    }

    /// Returns the keys that may have signed the token, at most ``triedKeysMax``. These keys have
    /// the token's algorithm. If the token has a `kid`, the keys have the same `kid` or no `kid`.
    private func candidates(for token: JWT) throws(AuthenticationError) -> ArraySlice<Entry> {
        var named = entries
        if let id = token.keyID {
            named = entries.filter { $0.key.id?.isSame(as: id) ?? true }
            guard !named.isEmpty else { throw .unknownIssuerKey }
        }
        let candidates = named.filter { $0.key.algorithm.rawValue == token.algorithm }
        guard !candidates.isEmpty else { throw .wrongAlgorithm }
        return candidates.prefix(Self.triedKeysMax)
    }

    /// Returns true if the key of the credential still exists.
    func has(_ credential: CredentialID) -> Bool {
        entries.contains { $0.credential == credential }
    }
}

/// A key with which the server checks an issuer's tokens, by one algorithm.
struct IssuerKey: Sendable {
    private enum Material: Sendable {
        case publicKey(PublicKey)
        /// A secret that issuer and server share.
        case secret([UInt8])
    }

    /// The minimum number of bytes in a secret (RFC 7518 §3.2).
    static let secretBytesMin = 32

    /// The name of the key in a token's header; `nil` for a key from a PEM file, and for a JWK
    /// without a `kid`.
    let id: String?
    private let material: Material
    /// The digest of the key, for comparing keys.
    let fingerprint: [UInt8]

    init(_ key: PublicKey, id: String?) {
        self.id = id
        material = .publicKey(key)
        fingerprint = key.fingerprint
    }

    /// - Throws: ``CredentialKeyFailure`` if the secret is too short.
    init(secret: [UInt8], id: String?) throws(CredentialKeyFailure) {
        guard secret.count >= Self.secretBytesMin else {
            throw CredentialKeyFailure(
                "a secret of \(secret.count) bytes; at least \(Self.secretBytesMin) are needed"
            )
        }
        self.id = id
        material = .secret(secret)
        fingerprint = (Array("HS256 ".utf8) + secret).withUnsafeBytes { SHA256.digest($0) }
    }

    var algorithm: SigningAlgorithm {
        switch material {
        case .publicKey(let key): key.algorithm
        case .secret: .hs256
        }
    }

    /// Returns true if this key has signed the token by the key's own algorithm.
    func hasSigned(_ token: JWT) -> Bool {
        guard token.algorithm == algorithm.rawValue else { return false }
        switch material {
        case .publicKey(let key):
            return key.isSignature(token.signature, of: token.signedText)
        case .secret(let secret):
            guard let mac = try? Secrets.mac(of: token.signedText, by: secret) else { return false }
            return Secrets.isSame(mac, token.signature)
        }
    }
}
