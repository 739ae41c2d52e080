import StoreAdmission
import StoreAuthorization
import StoreCore
import StoreHTTPTransport
import StoreHistory
import StorePublishing
import StoreWire

// The sender of a request: its identity, its session, and its access.

extension RequestContext {
    /// Returns the caller: the sender with its session, its identity and its rights as an operator.
    ///
    /// - Throws: 403 for a session that has ended.
    func caller() throws(Problem) -> Caller {
        let environment = environment
        // Most requests have no cookie: for them, this check is the whole cost.
        let session = exchange.hasHeader("cookie") ? try useSession() : nil
        let identity = environment.access == nil ? nil : exchange.identity
        let reads =
            environment.allowsOperatorReads
            && (!environment.hasOperatorListeners || exchange.isAdmin)
        let operates = reads || identity?.role?.seesAllSessions == true
        guard session != nil || identity != nil else { return operates ? .operator : .anyone }
        if session == nil, let identity,
            let known = exchange.cachedIdentity?.callerWithoutSession(
                as: identity,
                operates: operates
            )
        {
            return known
        }
        let isOperator = session == nil && operates
        return Caller(session: session, isOperator: isOperator, identity: identity)
    }

    /// Returns the client's session. Returns `nil` if the request has no cookie of a session, or if
    /// the state has no sessions.
    ///
    /// - Throws: 403 for a session that has ended. In a store with joined sessions, also throws 503
    ///   if the mailbox has no room for the beginning of the session.
    func useSession() throws(Problem) -> String? {
        guard let sessions = environment.sessions,
            let secret = environment.sessionCookie.secret(of: exchange)
        else { return nil }
        let name = SessionTable.name(of: String(secret), for: exchange.identity?.name)
        if exchange.isNoted { exchange.noteAccess { $0.session = name } }
        guard sessions.useIfOpen(name) else { throw sessionEndedProblem }
        if let store = environment.joiningStore {
            let isOpen: Bool
            do throws(MailboxError) { isOpen = try store.joinSession(name) } catch {
                throw error.problem(
                    detailIfFull: "too many of the program's own actions wait already"
                )
            }
            guard isOpen else { throw sessionEndedProblem }
        }
        return name
    }

    var sessionEndedProblem: Problem {
        .forbidden(
            "The session of this cookie has ended. Begin a session with POST "
                + "\(environment.sessionLinks.sessions), or send requests without the cookie."
        )
    }

    /// True if a browser must send its session cookie only over TLS. The operator's setting
    /// decides; without a setting, the client's connection decides. Read this property on the event
    /// loop's thread, before the request is suspended.
    var needsSecureCookie: Bool {
        environment.hasSecureCookies ?? environment.web.isOverTLS(exchange)
    }

    /// The identity of the sender; `nil` on a server without access control.
    var identity: Identity? { exchange.identity }

    /// The client for which streams with a pointer are counted: the principal, or else the address.
    var watchingClient: WatchingClient {
        if let name = identity?.name { return .principal(ExactText(name)) }
        let client = exchange.client.network
        return .address(client.description, isForMany: client.isLocal)
    }

    /// Returns the access that must stay valid until a wait or a stream ends. Returns `nil` on a
    /// server without access control. If a stream shows a part of a single member of the root
    /// state, `member` names that member.
    func accessLease(toMember member: String? = nil) throws(Problem) -> AccessLease? {
        guard let access = environment.access, let identity else { return nil }
        return access.lease(
            of: identity,
            for: try servedRoute.route.access.need(of: exchange, at: servedRoute.route.path),
            operates: try caller().isOperator && !environment.allowsOperatorReads,
            member: member,
            path: exchange.path,
            id
        )
    }

    /// Counts a stream of this request for the caller's role. The returned closure must be called
    /// once, at the stream's end. Returns `nil` on a server without access control.
    func countStream(_ topic: TopicID) -> (@Sendable () -> Void)? {
        guard let access = environment.access, let identity else { return nil }
        return access.streamCounts.countStream(
            StreamKind(topic.subject),
            of: identity.role?.name ?? ""
        )
    }

    /// Returns the request's origin for the log: `127.0.0.1 curl/8.5.0`, with the name of
    /// `session`, if given, between the address and the program. Returns `nil` if the operator has
    /// disabled origins in the log.
    func logOrigin(in session: String?) -> String? {
        guard !environment.forgetsClients else { return nil }
        return ClientOrigin.text(
            host: exchange.clientHost,
            session: session,
            agent: exchange.header("user-agent")
        )
    }
}
