/// An API key in the keys file: all its data except the token.
package struct APIKey: Sendable, Equatable {
    package let id: String
    package let principal: String
    package let role: String
    /// The digest of the whole token.
    let digest: TokenDigest
    /// The time of its making, in seconds since 1970.
    package let created: Int64
    /// The time of its end, in seconds since 1970; `nil` for a key without an end.
    package let expires: Int64?

    /// Returns true if the key has expired.
    package func isExpired(at now: Int64) -> Bool { expires.map { now >= $0 } ?? false }
}
