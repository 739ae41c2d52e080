import StoreDigest
import StoreTexts

/// The keys of an issuer, and the check of its tokens.
struct IssuerKeys: Sendable {
    /// The most keys in all files.
    static let countMax = 100
    /// The most keys that are tried for one token: a wrong signature costs a check by each of them.
    static let triedMax = 8

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
            for key in try IssuerKeyFile.keys(path) {
                if let other = entries.first(where: { Self.isNamedAlike($0.key, key) }) {
                    // The same key may be in two files while keys change.
                    if other.key.fingerprint == key.fingerprint { continue }
                    throw CredentialFileError(
                        path,
                        "the kid '\(key.id ?? "")' belongs to another \(key.algorithm.rawValue) "
                            + "key, too"
                    )
                }
                entries.append(Entry(key: key, credential: Self.credential(key, configuration)))
            }
            guard entries.count <= Self.countMax else {
                throw CredentialFileError(path, "allowed are \(Self.countMax) keys in all files")
            }
        }
        self.entries = entries
    }

    private static func isNamedAlike(_ a: IssuerKey, _ b: IssuerKey) -> Bool {
        guard a.algorithm == b.algorithm else { return false }
        guard let id = a.id, let other = b.id else {
            return a.id == nil && b.id == nil && a.fingerprint == b.fingerprint
        }
        return id.isSame(as: other)
    }

    /// Returns the credential's id for all tokens that this key has signed. The id is a fingerprint
    /// of the issuer's name and of the key.
    private static func credential(
        _ key: IssuerKey,
        _ configuration: IssuerConfiguration
    ) -> CredentialID {
        let named = Array(configuration.name.utf8) + [0] + key.fingerprint
        return .issuer(key: String(named.withUnsafeBytes { SHA256.hex($0) }.prefix(32)))
    }

    var count: Int { entries.count }

    /// Returns the principal of a JWT.
    ///
    /// Cost: a check of the signature, by at most ``triedMax`` keys.
    func principal(
        of token: UnsafeRawBufferPointer,
        at now: Int64
    ) throws(AuthenticationError) -> Principal {
        let token = try JWT(token)
        let candidates = try candidates(for: token)
        guard let entry = candidates.first(where: { $0.key.hasSigned(token) }) else {
            throw .signature
        }
        let claims = try JWTClaims(token.claims(), configuration, at: now)
        return Principal(
            name: claims.subject,
            role: claims.role,
            credential: entry.credential,
            expires: claims.end
        )
    }

    /// Returns the keys that may have signed the token, at most ``triedMax``. They have its
    /// algorithm. If the token has a `kid`, they have the same `kid` or none.
    private func candidates(for token: JWT) throws(AuthenticationError) -> ArraySlice<Entry> {
        var named = entries
        if let id = token.keyID {
            named = entries.filter { $0.key.id?.isSame(as: id) ?? true }
            guard !named.isEmpty else { throw .unknownIssuerKey }
        }
        let candidates = named.filter { $0.key.algorithm.rawValue == token.algorithm }
        guard !candidates.isEmpty else { throw .algorithm }
        return candidates.prefix(Self.triedMax)
    }

    /// Returns true if the key of the credential still exists.
    func has(_ credential: CredentialID) -> Bool {
        entries.contains { $0.credential == credential }
    }
}
