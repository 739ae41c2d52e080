package import StoreAdmission
import StoreHTTPTransport
package import StoreMetrics
package import StoreTelemetry
package import StoreWire

/// The objects, other than the state, that handlers use to answer requests: the routes, the
/// sessions, the access control, the event loop.
package final class RequestEnvironment: Sendable {
    let catalog: RouteCatalog
    let ids: RequestIDs
    let links: Links
    /// The links of the store at which clients begin sessions: this store, or the store at `/`.
    let sessionLinks: Links
    let sessionCookie: SessionCookie
    /// The sessions of clients; `nil` if the state has no sessions.
    let sessions: SessionTable?
    /// The store of these requests, if its clients use the sessions of the store at `/`. Each
    /// session begins in this store with the session's first request to this store. `nil` if the
    /// store has sessions of its own.
    let joiningStore: Store?
    /// The operator's rules about origins, proxies and rates of requests.
    let web: WebRules
    /// True if the log keeps no origins of requests.
    let forgetsClients: Bool
    /// The credentials and the policy; `nil` if every client may use every route.
    let access: AccessControl?
    let credentialCookie: CredentialCookie
    /// True if browsers send cookies only over TLS; `nil` if the connection of each request
    /// decides.
    let hasSecureCookies: Bool?
    /// True if clients without a session see the slices of all sessions.
    let allowsOperatorReads: Bool
    /// True if operators have listeners of their own. In this case, the other listeners serve no
    /// operators.
    let hasOperatorListeners: Bool
    /// Returns the current failure of the process. The transport calls the closure to answer
    /// `/livez` on a connection above the maximum number of connections. If the closure itself is
    /// `nil`, the transport refuses the connection.
    let livenessProblem: (@Sendable () -> Problem?)?
    let logger: Logger
    /// The histograms of the times that requests take.
    let times: RequestTimes
    /// Wakes the event loop, which then sends the completed answers.
    package let wakeLoop: @Sendable () -> Void

    package init(
        _ catalog: RouteCatalog,
        of links: Links = Links(),
        sessionsAt sessionLinks: Links? = nil,
        ids: RequestIDs = RequestIDs(),
        sessions: SessionTable? = nil,
        joinedBy joiningStore: Store? = nil,
        web: WebRules = WebRules(),
        forgetsClients: Bool,
        allowsOperatorReads: Bool = false,
        hasOperatorListeners: Bool = false,
        access: AccessControl? = nil,
        hasSecureCookies: Bool? = nil,
        livenessProblem: (@Sendable () -> Problem?)? = nil,
        logger: Logger,
        measuring times: RequestTimes = RequestTimes(),
        wakeLoop: @escaping @Sendable () -> Void
    ) {
        self.catalog = catalog
        self.links = links
        self.ids = ids
        let sessionLinks = sessionLinks ?? links
        self.sessionLinks = sessionLinks
        sessionCookie = SessionCookie(for: sessionLinks)
        self.sessions = sessions
        self.joiningStore = joiningStore
        self.web = web
        self.forgetsClients = forgetsClients
        self.allowsOperatorReads = allowsOperatorReads
        self.access = access
        self.hasSecureCookies = hasSecureCookies
        credentialCookie = CredentialCookie(
            at: sessionLinks.index,
            ofStore: sessionLinks.storeName,
            isSecure: hasSecureCookies
        )
        self.hasOperatorListeners = hasOperatorListeners
        self.livenessProblem = livenessProblem
        self.logger = logger
        self.times = times
        self.wakeLoop = wakeLoop
    }

    /// Finds the sender of a request, and stores the sender in the exchange. Returns `nil` without
    /// access control.
    ///
    /// - Throws: 401 if the credential is not valid.
    func identify(_ exchange: HTTPExchange) throws(Problem) -> Identity? {
        guard let access else { return nil }
        let identity = try access.identity(of: exchange, credentialCookie) { ids.next() }
        exchange.sender = identity
        if exchange.isNoted { exchange.noteAccess { identity.writeSender(to: &$0) } }
        return identity
    }
}
