import StoreAuthentication
import StoreHTTPTransport

/// The credential that a connection has shown last, with whom that is: a client shows the same one
/// with each request, and is not looked up again.
///
/// It belongs to the event loop's thread. It ends with its connection.
final class LastIdentity {
    /// The longest field that is kept: one for each connection.
    static let fieldBytesMax = 1_024

    // Safety: the loop's thread works on one connection at a time; the accesses are not checked.

    @exclusivity(unchecked) private var field = SecretBytes()
    @exclusivity(unchecked) private var identity: Identity?
    @exclusivity(unchecked) private var generation: UInt64 = 0
    /// On whose behalf requests without a session read; made when the first one does.
    @exclusivity(unchecked) private var caller: Caller?

    /// Whose field it is, if it is the one that was shown last, the files have not been read again
    /// since, and the credential has not come to its end.
    func identity(
        for field: UnsafeRawBufferPointer,
        of generation: UInt64,
        at now: Int64
    ) -> Identity? {
        guard generation == self.generation, let identity, self.field.isSame(as: field),
            !identity.principal.isExpired(at: now)
        else { return nil }
        return identity
    }

    /// On whose behalf a request without a session reads. Whether it operates depends on the
    /// connection and the identity alone.
    func caller(as identity: Identity, operates: Bool) -> Caller? {
        guard identity === self.identity else { return nil }
        if let caller { return caller }
        let made = Caller(session: nil, isOperator: operates, identity: identity)
        caller = made
        return made
    }

    fileprivate func keep(
        _ identity: Identity,
        for field: UnsafeRawBufferPointer,
        of generation: UInt64
    ) {
        self.identity = identity
        caller = nil
        self.field.replace(by: field)
        self.generation = generation
    }
}

extension HTTPExchange {
    /// What the connection has shown last; `nil` where it has shown nothing that is kept.
    var lastIdentity: LastIdentity? {
        guard let kept = keptForConnection, type(of: kept) == LastIdentity.self else { return nil }
        return unsafeDowncast(kept, to: LastIdentity.self)
    }

    /// Keeps for the requests behind this one whose field this is, unless the field is too long.
    func keep(_ identity: Identity, for field: UnsafeRawBufferPointer, of generation: UInt64) {
        guard field.count <= LastIdentity.fieldBytesMax else { return }
        let last = lastIdentity ?? LastIdentity()
        last.keep(identity, for: field, of: generation)
        keptForConnection = last
    }
}
