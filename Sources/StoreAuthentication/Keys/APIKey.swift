/// An API key as the keys file has it: everything but the key.
package struct APIKey: Sendable, Equatable {
    package let id: String
    package let principal: String
    package let role: String
    /// The digest of the whole token.
    let digest: TokenDigest
    /// Seconds since 1970.
    package let created: Int64
    /// Seconds since 1970; `nil` for a key without an end.
    package let expires: Int64?

    /// Whether it has come to its end.
    package func isExpired(at now: Int64) -> Bool { expires.map { now >= $0 } ?? false }
}
