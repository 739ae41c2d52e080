package import StoreAuthentication
package import StoreAuthorization
import StoreEventStream
import StoreHTTPTransport
import StorePlatform
package import StoreTelemetry
import StoreWire
import Synchronization

/// Finds out who asks, and what a policy allows them. A server without credentials and policy has
/// none: there all may do all that is served.
///
/// Any thread may call it.
package final class AccessControl: Sendable {
    /// How many identities are kept; more are made again.
    private static let identitiesMax = 10_000

    /// What holds until the files are read again.
    private struct Rules: Sendable {
        let policy: Policy
        let anonymous: Identity
        /// By their principals, which the authenticator hands out again.
        var identities: [ObjectIdentifier: Identity] = [:]
    }

    /// Counts what the policy denies.
    package let denials = PolicyDenials()
    /// Counts the streams that the roles have open.
    package let streams: RoleStreams
    private let authenticator: Authenticator
    private let members: [String]
    private let logger: Logger
    private let now: @Sendable () -> Int64
    private let rules: Locked<Rules>
    /// Names what the files said when they were read last, among all that were ever read for any
    /// store of the process.
    private let generation = Atomic<UInt64>(AccessControl.nextGeneration)
    private static let generations = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - authenticator: whose credentials are taken.
    ///   - policy: what roles may do.
    ///   - members: the members of the root state.
    ///   - logger: gets a line for each credential that is refused.
    ///   - now: the second since 1970.
    package init(
        _ authenticator: Authenticator,
        _ policy: Policy,
        members: [String],
        logger: Logger,
        now: @escaping @Sendable () -> Int64 = { Int64(SystemTime.coarseWallSeconds()) }
    ) {
        self.authenticator = authenticator
        self.members = members
        self.logger = logger
        self.now = now
        streams = RoleStreams(policy)
        let anonymous = Identity(.anonymous, policy, members: members, denials)
        rules = Locked(Rules(policy: policy, anonymous: anonymous))
    }

    private static var nextGeneration: UInt64 {
        generations.add(1, ordering: .sequentiallyConsistent).newValue
    }

    /// Who shows no credential, as the policy has it.
    var anonymous: Identity { rules.withLock { $0.anonymous } }

    /// From now on this policy holds, and the credentials that the authenticator has by now.
    package func replace(by policy: Policy) {
        let anonymous = Identity(.anonymous, policy, members: members, denials)
        rules.withLock { $0 = Rules(policy: policy, anonymous: anonymous) }
        generation.store(Self.nextGeneration, ordering: .sequentiallyConsistent)
        streams.replace(by: policy)
    }

    /// Who sends a request: by the header field where it is there, else by the cookie.
    ///
    /// - Throws: 401 where what is shown is not good.
    func identity(
        of exchange: HTTPExchange,
        _ cookie: CredentialCookie,
        _ id: () -> RequestID
    ) throws(Problem) -> Identity {
        let shown = exchange.withHeader("authorization") { field in
            identity(inField: field, of: exchange)
        }
        if let shown {
            guard let shown else { throw otherScheme(id()) }
            do { return try shown.get() } catch { throw refused(error, id()) }
        }
        guard exchange.has("cookie"), let value = cookie.value(of: exchange) else {
            return rules.withLock { $0.anonymous }
        }
        do {
            return identity(of: try authenticator.principal(ofCookie: value, at: now()))
        } catch {
            throw refused(error, takingAway: cookie.forget(for: exchange), id())
        }
    }

    /// Who sends an `Authorization` field; `nil` for another scheme than `Bearer`.
    private func identity(
        inField field: UnsafeRawBufferPointer,
        of exchange: HTTPExchange
    ) -> Result<Identity, AuthenticationError>? {
        // Read first: what is found out by files that are being replaced is not kept for long.
        let generation = generation.load(ordering: .sequentiallyConsistent)
        if let known = exchange.lastIdentity?.identity(for: field, of: generation, at: now()) {
            return .success(known)
        }
        return principal(inField: field)?.map { principal in
            let identity = identity(of: principal)
            exchange.keep(identity, for: field, of: generation)
            return identity
        }
    }

    /// The principal of an `Authorization` field, in place; `nil` for another scheme than `Bearer`.
    private func principal(
        inField field: UnsafeRawBufferPointer
    ) -> Result<Principal, AuthenticationError>? {
        let space = UInt8(ascii: " ")
        let scheme: StaticString = "bearer"
        let end = scheme.utf8CodeUnitCount
        guard field.count >= end,
            (0..<end).allSatisfy({ field[$0] | 0x20 == scheme.utf8Start[$0] }),
            field.count == end || field[end] == space
        else { return nil }
        let token = UnsafeRawBufferPointer(rebasing: field[end...].drop { $0 == space })
        return Result { () throws(AuthenticationError) in
            try authenticator.principal(bearing: token, at: now())
        }
    }

    /// 401, with a line in the log that says why.
    private func refused(
        _ error: AuthenticationError,
        takingAway cookie: (String, String)? = nil,
        _ id: RequestID
    ) -> Problem {
        let problem = refusal(
            "its \(cookie == nil ? "token" : "cookie") is refused: \(error.logText)",
            .unauthorized("\(error.clientText).", challenge: "Bearer \(error.challenge)"),
            id
        )
        // A browser shows the cookie again and again, and its page can't take it away.
        return cookie.map { problem.with($0) } ?? problem
    }

    /// 401 for a scheme that no credential has, with a line in the log.
    private func otherScheme(_ id: RequestID) -> Problem {
        refusal(
            "its token is refused: its scheme is not Bearer",
            .unauthorized("The server takes the scheme Bearer in the Authorization header."),
            id
        )
    }

    /// A problem with the name of the request, under which the log has the reason.
    private func refusal(_ reason: String, _ problem: Problem, _ id: RequestID) -> Problem {
        logger.warning(
            .credentialRefused,
            "request \(id.text): \(reason)",
            LogField("request", .name(id.text))
        )
        var problem = problem
        problem.instance = id.text
        return problem
    }

    /// What a principal may do.
    func identity(of principal: Principal) -> Identity {
        let key = ObjectIdentifier(principal)
        return rules.withLock { rules in
            if let known = rules.identities[key], known.principal === principal { return known }
            let made = Identity(principal, rules.policy, members: members, denials)
            if rules.identities.count >= Self.identitiesMax { rules.identities = [:] }
            rules.identities[key] = made
            return made
        }
    }

    /// A cookie for a principal, with how long it lasts; `nil` for one that shows nothing.
    func cookie(for principal: Principal) -> (value: String, maxAge: Int64)? {
        authenticator.cookie(for: principal, at: now())
    }

    /// What ends a stream that a principal reads, and the waiting of its requests: its credential,
    /// its revocation, a policy that allows it no more.
    ///
    /// - Parameters:
    ///   - identity: the principal, as the policy has it now.
    ///   - need: what the route needs of its role.
    ///   - operates: whether it shows what all sessions have because the role operates.
    ///   - member: the member of the root state that it shows a part of, if it shows no more.
    ///   - path: of the request, which a problem may name.
    ///   - id: of the request.
    /// - Returns: what says whether it lasts, and why not.
    func held(
        by identity: Identity,
        for need: RouteNeed,
        operates: Bool,
        member: String? = nil,
        path: String,
        _ id: RequestID
    ) -> HeldAccess {
        let rights = StreamRights(sight: identity.sight, operates: operates, member: member)
        let principal = identity.principal
        return HeldAccess(expires: principal.expires) { [self] in
            let now = now()
            guard authenticator.isGood(principal, at: now) else {
                return .credential(principal.ending(at: now))
            }
            let identity = self.identity(of: principal)
            guard !identity.allows(need, as: rights) else { return nil }
            return .policy(
                identity.denial(of: need).map { identity.problem($0, path: path) }
                    ?? .forbidden(
                        "What this request may read has changed while it waited. Send it again."
                    )
            )
        } refuse: { [self] ending in
            switch ending {
            case .credential(let error): refused(error, id)
            case .policy(let problem): problem
            }
        }
    }
}

extension Authenticator {
    /// The principal of a cookie's value.
    fileprivate func principal(
        ofCookie value: Substring,
        at now: Int64
    ) throws(AuthenticationError) -> Principal {
        var value = String(value)
        return try value.withUTF8 { utf8 in
            Result { () throws(AuthenticationError) in
                try principal(ofCookie: UnsafeRawBufferPointer(utf8), at: now)
            }
        }.get()
    }
}

extension Principal {
    /// Why its credential is good no more.
    fileprivate func ending(at now: Int64) -> AuthenticationError {
        switch (credential, isExpired(at: now)) {
        case (.key(let id), true): .expiredKey(id: id)
        case (.key(let id), false): .unknownKey(id: id)
        case (_, true): .expired
        case (_, false): .revoked
        }
    }
}
