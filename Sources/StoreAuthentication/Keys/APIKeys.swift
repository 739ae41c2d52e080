import StoreTexts

/// The API keys of a keys file, by their ids.
struct APIKeys: Sendable {
    private struct Entry: Sendable {
        let digest: TokenDigest
        /// The principal, made in advance, so that a request allocates no principal.
        let principal: Principal
    }

    private let entries: [String: Entry]
    private let principalNames: Set<ExactText>

    init(_ keys: [APIKey]) {
        entries = Dictionary(
            keys.map { key in
                let principal = Principal(
                    name: key.principal,
                    role: key.role,
                    credential: .apiKey(key.id),
                    expiresAt: key.expiresAt
                )
                return (key.id, Entry(digest: key.digest, principal: principal))
            },
            uniquingKeysWith: { first, _ in first }
        )
        principalNames = Set(keys.map { ExactText($0.principal) })
    }

    /// Returns true if a key is for the principal of this name, even if the key has expired.
    func has(principal name: String) -> Bool { principalNames.contains(ExactText(name)) }

    var count: Int { entries.count }

    /// Returns the principal of a token that begins like an API key.
    ///
    /// Cost of a valid token: a look-up and a SHA-256.
    func principal(
        of token: UnsafeRawBufferPointer,
        at now: Int64
    ) throws(AuthenticationError) -> Principal {
        guard let id = APIKeyToken.id(of: token) else { throw .unknownForm }
        guard let entry = entries[id] else {
            throw APIKeyToken.hasValidChecksum(token) ? .unknownKey(id: id) : .mistypedKey
        }
        guard entry.digest.isSame(as: TokenDigest(of: token)) else {
            throw APIKeyToken.hasValidChecksum(token) ? .wrongSecret(id: id) : .mistypedKey
        }
        guard !entry.principal.isExpired(at: now) else { throw .expiredKey(id: id) }
        return entry.principal
    }

    /// Returns true if the key of this id still exists, has not expired, and has the principal's
    /// name and role.
    func hasValidKey(_ principal: Principal, id: String, at now: Int64) -> Bool {
        guard let key = entries[id]?.principal else { return false }
        return !key.isExpired(at: now) && key.name.isSame(as: principal.name)
            && key.role.isSame(as: principal.role)
    }
}

/// An API key in the keys file: all its data except the token.
package struct APIKey: Sendable, Equatable {
    package let id: String
    package let principal: String
    package let role: String
    /// The digest of the whole token.
    let digest: TokenDigest
    /// The time at which the key was made, in seconds since 1970.
    package let createdAt: Int64
    /// The time at which the key expires, in seconds since 1970; `nil` for a key without an end.
    package let expiresAt: Int64?

    /// Returns true if the key has expired.
    package func isExpired(at now: Int64) -> Bool { expiresAt.map { now >= $0 } ?? false }
}
