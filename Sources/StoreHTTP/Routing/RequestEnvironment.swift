import StoreAuthorization
import StoreCore
package import StoreHTTPTransport
import StoreHistory
package import StoreTelemetry
package import StoreWire

/// What requests are answered from beside the state: the routes, the sessions, the event loop.
package final class RequestEnvironment: Sendable {
    let catalog: RouteCatalog
    /// Names the requests.
    let ids: RequestIDs
    /// The paths of the store that is served.
    let links: Links
    /// The cookie by which clients show their sessions.
    private let cookie: SessionCookie
    /// The sessions of clients, where the state has any.
    package let sessions: SessionTable?
    /// What the operator has set for the web around the server.
    let web: WebRules
    /// Whether the log keeps nothing of who asked.
    package let forgetsClients: Bool
    /// Who may do what; `nil` where all may do all that is served.
    let access: AccessControl?
    /// The cookie by which browsers show who they are.
    let credentialCookie: CredentialCookie
    /// True if browsers send cookies over TLS alone; `nil` if that depends on the request.
    private let hasSecureCookies: Bool?
    /// Whether clients without a session see what all sessions have.
    let operatorReads: Bool
    /// Whether operators have listeners of their own; then those who come in elsewhere are none.
    let separatesOperators: Bool
    /// What is wrong with the process, as `/livez` has it; `nil` if that is not answered to
    /// connections without a place.
    let livenessProblem: (@Sendable () -> Problem?)?
    let logger: Logger
    /// Where it is measured how long requests take.
    let times: RequestTimes
    /// Lets the event loop send what was completed.
    package let wake: @Sendable () -> Void

    package init(
        _ catalog: RouteCatalog,
        of links: Links = Links(),
        ids: RequestIDs = RequestIDs(),
        sessions: SessionTable? = nil,
        web: WebRules = WebRules(),
        forgetsClients: Bool,
        operatorReads: Bool = false,
        separatesOperators: Bool = false,
        access: AccessControl? = nil,
        hasSecureCookies: Bool? = nil,
        livenessProblem: (@Sendable () -> Problem?)? = nil,
        logger: Logger,
        measuring times: RequestTimes = RequestTimes(),
        wake: @escaping @Sendable () -> Void
    ) {
        self.catalog = catalog
        self.links = links
        self.ids = ids
        cookie = SessionCookie(for: links)
        self.sessions = sessions
        self.web = web
        self.forgetsClients = forgetsClients
        self.operatorReads = operatorReads
        self.access = access
        self.hasSecureCookies = hasSecureCookies
        credentialCookie = CredentialCookie(for: links, isSecure: hasSecureCookies)
        self.separatesOperators = separatesOperators
        self.livenessProblem = livenessProblem
        self.logger = logger
        self.times = times
        self.wake = wake
    }

    /// The session that a request shows: `nil` where it shows no cookie, or the state has no
    /// sessions.
    ///
    /// - Throws: 403 for a session that has ended.
    package func session(of exchange: HTTPExchange) throws(Problem) -> String? {
        guard let sessions, let secret = cookie.secret(of: exchange) else { return nil }
        let name = SessionTable.name(of: String(secret), for: exchange.identity?.name)
        if exchange.isNoted { exchange.noteAccess { $0.session = name } }
        guard sessions.use(name) else { throw sessionEnded }
        return name
    }

    /// 403 for a session that has ended.
    var sessionEnded: Problem {
        .forbidden(
            "The session of this cookie has ended. Begin another one with POST \(links.sessions), "
                + "or leave the cookie out to go without."
        )
    }

    /// Whether a browser is to send the cookie of its session over TLS alone: the client has come
    /// over TLS, unless the operator decides otherwise. On the loop's thread, before the request is
    /// put off.
    func hasSecureSession(_ exchange: HTTPExchange) -> Bool {
        hasSecureCookies ?? web.isOverTLS(exchange)
    }

    /// On whose behalf a request reads.
    ///
    /// - Throws: 403 for a session that has ended.
    package func caller(of exchange: HTTPExchange) throws(Problem) -> Caller {
        // Most requests show no cookie, and pay no more than this look.
        let session = exchange.has("cookie") ? try session(of: exchange) : nil
        let identity = access == nil ? nil : exchange.identity
        let reads = operatorReads && (!separatesOperators || exchange.isAdmin)
        let operates = reads || identity?.role?.operates == true
        guard session != nil || identity != nil else { return operates ? .operator : .anyone }
        if session == nil, let identity,
            let known = exchange.lastIdentity?.caller(as: identity, operates: operates)
        {
            return known
        }
        return Caller(
            session: session,
            isOperator: session == nil && operates,
            identity: identity
        )
    }

    /// Finds out who sends a request, and notes it there; `nil` where that makes no difference.
    ///
    /// - Throws: 401 where what is shown is not good.
    func identify(_ exchange: HTTPExchange) throws(Problem) -> Identity? {
        guard let access else { return nil }
        let identity = try access.identity(of: exchange, credentialCookie) { ids.next() }
        exchange.sender = identity
        if exchange.isNoted { exchange.noteAccess { identity.note(in: &$0) } }
        return identity
    }

    /// Where a request comes from, as the log shows it: `127.0.0.1 curl/8.5.0`, with the session in
    /// between where there is one; `nil` where the operator has none of it kept.
    package func origin(of exchange: HTTPExchange, in session: String?) -> String? {
        guard !forgetsClients else { return nil }
        return ClientOrigin.text(
            host: exchange.clientHost,
            session: session,
            agent: exchange.header("user-agent")
        )
    }
}

extension HTTPExchange {
    /// Who sends the request; `nil` where that makes no difference.
    var identity: Identity? {
        guard let sender, type(of: sender) == Identity.self else { return nil }
        return unsafeDowncast(sender, to: Identity.self)
    }
}
