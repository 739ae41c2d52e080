package import StoreAdmission
import StoreAuthorization
import StoreCore
package import StoreHTTPTransport
import StoreHistory
package import StoreMetrics
package import StoreTelemetry
package import StoreWire

/// The objects that requests are answered from, besides the state: the routes, the sessions, the
/// access control, the event loop.
package final class RequestEnvironment: Sendable {
    let catalog: RouteCatalog
    /// The source of the requests' ids.
    let ids: RequestIDs
    /// The paths of this store.
    let links: Links
    /// The cookie with the secret of a client's session.
    let sessionCookie: SessionCookie
    /// The sessions of clients; `nil` if the state has none.
    package let sessions: SessionTable?
    /// The operator's rules for the web around the server.
    let web: WebRules
    /// True if the log keeps no origins of requests.
    package let forgetsClients: Bool
    /// The credentials and the policy; `nil` if every client may use every route.
    let access: AccessControl?
    /// The cookie with a browser's credential.
    let credentialCookie: CredentialCookie
    /// True if browsers send cookies over TLS alone; `nil` if that depends on the request.
    private let hasSecureCookies: Bool?
    /// True if clients without a session see the slices of all sessions.
    let operatorReads: Bool
    /// True if operators have listeners of their own. Then a client at another listener is no
    /// operator.
    let separatesOperators: Bool
    /// The current failure of the process, for the `/livez` of connections beyond the bound. If the
    /// closure itself is `nil`, the transport refuses such connections.
    let livenessProblem: (@Sendable () -> Problem?)?
    let logger: Logger
    /// The histograms of the times that requests take.
    let times: RequestTimes
    /// Wakes the event loop, which then sends the completed answers.
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
        sessionCookie = SessionCookie(for: links)
        self.sessions = sessions
        self.web = web
        self.forgetsClients = forgetsClients
        self.operatorReads = operatorReads
        self.access = access
        self.hasSecureCookies = hasSecureCookies
        credentialCookie = CredentialCookie(
            at: links.index,
            ofStore: links.store,
            isSecure: hasSecureCookies
        )
        self.separatesOperators = separatesOperators
        self.livenessProblem = livenessProblem
        self.logger = logger
        self.times = times
        self.wake = wake
    }

    /// Returns the session of a request; `nil` if the request has no session cookie, or the state
    /// has no sessions.
    ///
    /// - Throws: 403 for a session that has ended.
    package func session(of exchange: HTTPExchange) throws(Problem) -> String? {
        guard let sessions, let secret = sessionCookie.secret(of: exchange) else { return nil }
        let name = SessionTable.name(of: String(secret), for: exchange.identity?.name)
        if exchange.isNoted { exchange.noteAccess { $0.session = name } }
        guard sessions.use(name) else { throw sessionEnded }
        return name
    }

    /// The problem 403 for a session that has ended.
    var sessionEnded: Problem {
        .forbidden(
            "The session of this cookie has ended. Begin a session with POST \(links.sessions), "
                + "or leave the cookie out to go without."
        )
    }

    /// True if a browser must send its session cookie over TLS alone. The operator's setting
    /// decides; without it, the client's connection does. Called on the event loop's thread, before
    /// the request is suspended.
    func hasSecureSession(_ exchange: HTTPExchange) -> Bool {
        hasSecureCookies ?? web.isOverTLS(exchange)
    }

    /// Returns the caller on whose behalf a request reads.
    ///
    /// - Throws: 403 for a session that has ended.
    package func caller(of exchange: HTTPExchange) throws(Problem) -> Caller {
        // Most requests have no cookie, and then this check is the whole cost.
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

    /// Finds the sender of a request and stores it in the exchange. Returns `nil` on a server
    /// without access control.
    ///
    /// - Throws: 401 if the credential is not valid.
    func identify(_ exchange: HTTPExchange) throws(Problem) -> Identity? {
        guard let access else { return nil }
        let identity = try access.identity(of: exchange, credentialCookie) { ids.next() }
        exchange.sender = identity
        if exchange.isNoted { exchange.noteAccess { identity.note(in: &$0) } }
        return identity
    }

    /// Returns the origin of a request as the log shows it: `127.0.0.1 curl/8.5.0`. A session's
    /// name stands in between. Returns `nil` if the operator has disabled the recording of clients.
    package func origin(of exchange: HTTPExchange, in session: String?) -> String? {
        guard !forgetsClients else { return nil }
        return ClientOrigin.text(
            host: exchange.clientHost,
            session: session,
            agent: exchange.header("user-agent")
        )
    }
}
