import StoreAuthentication
package import StoreHTTPTransport

/// The last credential of a connection, with its identity. Most clients send the same credential
/// with each request, so the cache saves most look-ups.
///
/// Only the event loop's thread may use the cache. The cache ends with its connection.
package final class CachedIdentity {
    /// The maximum number of bytes in a cached field. Each connection caches a single field.
    static let fieldBytesMax = 1_024

    // Safety: only the loop's thread uses these properties, for one connection at a time. So Swift
    // need not check the exclusivity of the accesses.

    @exclusivity(unchecked) fileprivate var authorizationField = SecretBytes()
    @exclusivity(unchecked) fileprivate var identity: Identity?
    @exclusivity(unchecked) fileprivate var generation: UInt64 = 0
    /// The caller for requests without a session. The first of these requests makes the caller.
    @exclusivity(unchecked) fileprivate var callerWithoutSession: Caller?

    /// Returns the cached identity of an `Authorization` field. Returns `nil` if the cache has
    /// another field, if the policy or the credentials have changed since, or if the credential has
    /// ended.
    func identity(
        for field: UnsafeRawBufferPointer,
        of generation: UInt64,
        at now: Int64
    ) -> Identity? {
        guard generation == self.generation, let identity,
            self.authorizationField.isSame(as: field),
            !identity.principal.isExpired(at: now)
        else { return nil }
        return identity
    }

    /// Returns the cached caller for requests without a session; `nil` if the cache has another
    /// identity. The caller depends only on the connection and the identity.
    package func callerWithoutSession(as identity: Identity, operates: Bool) -> Caller? {
        guard identity === self.identity else { return nil }
        if let callerWithoutSession { return callerWithoutSession }
        let made = Caller(session: nil, isOperator: operates, identity: identity)
        callerWithoutSession = made
        return made
    }
}

extension HTTPExchange {
    /// The cached identity of the connection; `nil` if there is none.
    package var cachedIdentity: CachedIdentity? {
        guard let kept = connectionStorage, type(of: kept) == CachedIdentity.self else {
            return nil
        }
        return unsafeDowncast(kept, to: CachedIdentity.self)
    }

    /// Caches the identity of an `Authorization` field for later requests of the connection, unless
    /// the field is too large.
    func cache(_ identity: Identity, for field: UnsafeRawBufferPointer, of generation: UInt64) {
        guard field.count <= CachedIdentity.fieldBytesMax else { return }
        let last = cachedIdentity ?? CachedIdentity()
        last.identity = identity
        last.callerWithoutSession = nil
        last.authorizationField.replace(by: field)
        last.generation = generation
        connectionStorage = last
    }
}
