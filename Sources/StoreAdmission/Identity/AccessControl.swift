package import StoreAuthentication
package import StoreAuthorization
package import StoreHTTPTransport
import StorePlatform
package import StoreTelemetry
package import StoreWire
import Synchronization

/// Identifies the senders of requests, and gives them the rights of their roles in the policy. A
/// server that has no credentials and no policy has no access control: its clients may use all
/// routes.
///
/// Any thread may use the object.
package final class AccessControl: Sendable {
    /// The maximum number of cached identities. A full cache is emptied and filled anew.
    private static let identitiesMax = 10_000

    /// The rules that apply until the policy or the credentials are read again.
    private struct Rules: Sendable {
        let policy: Policy
        let anonymous: Identity
        /// The cached identities. The key of an identity is the id of the principal object. The
        /// authenticator usually returns the same object for the same credential.
        var identities: [ObjectIdentifier: Identity] = [:]
    }

    /// The counters of denied requests.
    package let denialCounts = PolicyDenialCounts()
    /// The counters of open streams, by role.
    package let streamCounts: RoleStreamCounts
    private let authenticator: Authenticator
    private let stateMembers: [String]
    private let logger: Logger
    private let now: @Sendable () -> Int64
    private let rules: Locked<Rules>
    /// The serial number of the last change of the policy or the credentials. The number is unique
    /// among all stores of the process.
    private let generation = Atomic<UInt64>(AccessControl.nextGeneration)
    private static let generationCount = Atomic<UInt64>(0)

    /// Makes access control for a store whose root state has these members. The logger gets a line
    /// for each refused credential. `now` returns the seconds since 1970.
    package init(
        _ authenticator: Authenticator,
        _ policy: Policy,
        stateMembers: [String],
        logger: Logger,
        now: @escaping @Sendable () -> Int64 = { Int64(SystemTime.coarseWallSeconds()) }
    ) {
        self.authenticator = authenticator
        self.stateMembers = stateMembers
        self.logger = logger
        self.now = now
        streamCounts = RoleStreamCounts(policy)
        let anonymous = Identity(.anonymous, policy, members: stateMembers, denialCounts)
        rules = Locked(Rules(policy: policy, anonymous: anonymous))
    }

    private static var nextGeneration: UInt64 {
        generationCount.add(1, ordering: .sequentiallyConsistent).newValue
    }

    /// The identity of clients without a credential, according to the policy.
    package var anonymous: Identity { rules.withLock { $0.anonymous } }

    /// Applies this policy, and the authenticator's present credentials, from now on.
    package func replacePolicy(by policy: Policy) {
        let anonymous = Identity(.anonymous, policy, members: stateMembers, denialCounts)
        rules.withLock { $0 = Rules(policy: policy, anonymous: anonymous) }
        generation.store(Self.nextGeneration, ordering: .sequentiallyConsistent)
        streamCounts.replacePolicy(by: policy)
    }

    /// Returns the sender of a request. Reads the `Authorization` field if the request has the
    /// field, else the cookie.
    ///
    /// - Throws: 401 if the credential is not valid.
    package func identity(
        of exchange: HTTPExchange,
        _ cookie: CredentialCookie,
        _ id: () -> RequestID
    ) throws(Problem) -> Identity {
        let fieldResult = exchange.withHeader("authorization") { field in
            identity(inField: field, of: exchange)
        }
        if let fieldResult {
            guard let fieldResult else {
                throw logRefusal(
                    "its token is refused: its scheme is not Bearer",
                    .unauthorized(
                        "The server accepts only the scheme Bearer in the Authorization header."
                    ),
                    id()
                )
            }
            do { return try fieldResult.get() } catch { throw credentialProblem(error, id()) }
        }
        guard exchange.hasHeader("cookie"), let value = cookie.value(of: exchange) else {
            return rules.withLock { $0.anonymous }
        }
        do {
            return identity(of: try authenticator.principal(ofCookie: value, at: now()))
        } catch {
            throw credentialProblem(
                error,
                deletingCookie: cookie.deletingField(for: exchange),
                id()
            )
        }
    }

    /// Returns the sender of a request by the request's `Authorization` field; `nil` for a scheme
    /// other than `Bearer`.
    private func identity(
        inField field: UnsafeRawBufferPointer,
        of exchange: HTTPExchange
    ) -> Result<Identity, AuthenticationError>? {
        // Read the generation first. If `replacePolicy(by:)` runs during this call, the cached
        // identity has the old generation and is not used again.
        let generation = generation.load(ordering: .sequentiallyConsistent)
        if let known = exchange.cachedIdentity?.identity(for: field, of: generation, at: now()) {
            return .success(known)
        }
        return principal(inField: field)?.map { principal in
            let identity = identity(of: principal)
            exchange.cache(identity, for: field, of: generation)
            return identity
        }
    }

    /// Returns the principal of an `Authorization` field, without copying the field; `nil` for a
    /// scheme other than `Bearer`.
    private func principal(
        inField field: UnsafeRawBufferPointer
    ) -> Result<Principal, AuthenticationError>? {
        let space = UInt8(ascii: " ")
        let scheme: StaticString = "bearer"
        let end = scheme.utf8CodeUnitCount
        guard field.beginsIgnoringCase(with: scheme), field.count == end || field[end] == space
        else {
            return nil
        }
        let token = UnsafeRawBufferPointer(rebasing: field[end...].drop { $0 == space })
        return Result { () throws(AuthenticationError) in
            try authenticator.principal(bearing: token, at: now())
        }
    }

    /// Makes the problem for an invalid credential (401), and logs the reason. The answer deletes
    /// the given cookie.
    private func credentialProblem(
        _ error: AuthenticationError,
        deletingCookie cookie: (String, String)? = nil,
        _ id: RequestID
    ) -> Problem {
        let problem = logRefusal(
            "its \(cookie == nil ? "token" : "cookie") is refused: \(error)",
            .unauthorized("\(error.clientText).", challenge: "Bearer \(error.challenge)"),
            id
        )
        // A browser would send the invalid cookie with each further request, and a page can't
        // delete the cookie. So the answer deletes the cookie.
        return cookie.map { problem.addingHeader($0) } ?? problem
    }

    /// Logs the reason with the id of the request, and returns the problem with the same id.
    private func logRefusal(_ reason: String, _ problem: Problem, _ id: RequestID) -> Problem {
        logger.warning(
            .credentialRefused,
            "request \(id.text): \(reason)",
            LogField("request", .name(id.text))
        )
        var problem = problem
        problem.instance = id.text
        return problem
    }

    /// Returns the identity of a principal: the principal with its rights in the present policy.
    func identity(of principal: Principal) -> Identity {
        let key = ObjectIdentifier(principal)
        return rules.withLock { rules in
            if let known = rules.identities[key], known.principal === principal { return known }
            let made = Identity(principal, rules.policy, members: stateMembers, denialCounts)
            if rules.identities.count >= Self.identitiesMax { rules.identities = [:] }
            rules.identities[key] = made
            return made
        }
    }

    /// Returns a cookie for a principal, with its lifetime in seconds; `nil` for an anonymous or
    /// expired principal.
    package func cookie(for principal: Principal) -> (value: String, maxAge: Int64)? {
        authenticator.cookie(for: principal, at: now())
    }

    /// Returns the access that a stream or a waiting request depends on. The end of the credential,
    /// its revocation, or a new policy ends the access.
    ///
    /// `operates` is true if the stream shows the slices of all sessions because the role has the
    /// grant `operate`. `member` is the only member of the root state from which the stream shows a
    /// part; `nil` if there are several. `path` is the path of the request. The problem after a
    /// change of the policy may name this path.
    package func lease(
        of identity: Identity,
        for need: RouteNeed,
        operates: Bool,
        member: String? = nil,
        path: String,
        _ id: RequestID
    ) -> AccessLease {
        let rights = StreamRights(sight: identity.sight, showsAllSessions: operates, member: member)
        let principal = identity.principal
        return AccessLease(expiresAt: principal.expiresAt) { [self] in
            let now = now()
            guard authenticator.hasValidCredential(principal, at: now) else {
                return .credential(principal.endReason(at: now))
            }
            let identity = self.identity(of: principal)
            guard !identity.allows(need, forStreamWith: rights) else { return nil }
            return .policy(
                identity.denial(of: need).map { identity.problem($0, path: path) }
                    ?? .forbidden(
                        "The client's rights changed while this request waited. Send the request "
                            + "again."
                    )
            )
        } makeProblem: { [self] ending in
            switch ending {
            case .credential(let error): credentialProblem(error, id)
            case .policy(let problem): problem
            }
        }
    }
}

extension Authenticator {
    /// Returns the principal of a cookie's value.
    fileprivate func principal(
        ofCookie value: Substring,
        at now: Int64
    ) throws(AuthenticationError) -> Principal {
        try Array(value.utf8).withUnsafeBufferPointer { utf8 throws(AuthenticationError) in
            try principal(ofCookie: UnsafeRawBufferPointer(utf8), at: now)
        }
    }
}

extension Principal {
    /// Returns the reason why the principal's credential is no longer valid.
    fileprivate func endReason(at now: Int64) -> AuthenticationError {
        switch (credential, isExpired(at: now)) {
        case (.apiKey(let id), true): .expiredKey(id: id)
        case (.apiKey(let id), false): .unknownKey(id: id)
        case (_, true): .expired
        case (_, false): .revoked
        }
    }
}
