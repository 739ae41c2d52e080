package import StoreAdmission
import StoreHTTPTransport
package import StoreMetrics
package import StoreTelemetry
package import StoreWire

/// The objects, other than the state, from which requests are answered: the routes, the sessions,
/// the access control, the event loop.
package final class RequestEnvironment: Sendable {
    let catalog: RouteCatalog
    let ids: RequestIDs
    let links: Links
    /// The links of the store at which clients begin sessions: this store, or the store at `/`.
    let sessionLinks: Links
    let sessionCookie: SessionCookie
    /// The sessions of clients; `nil` if the state has none.
    let sessions: SessionTable?
    /// The store, if it has the sessions of the store at `/`. Each session begins in this store
    /// with its first request. `nil` for a store with its own sessions.
    let joiningStore: Store?
    /// The operator's rules about origins, proxies and rates of requests.
    let web: WebRules
    /// True if the log keeps no origins of requests.
    let forgetsClients: Bool
    /// The credentials and the policy; `nil` if every client may use every route.
    let access: AccessControl?
    let credentialCookie: CredentialCookie
    /// True if browsers send cookies only over TLS; `nil` if that depends on the request.
    let hasSecureCookies: Bool?
    /// True if clients without a session see the slices of all sessions.
    let allowsOperatorReads: Bool
    /// True if operators have listeners of their own. In this case, the other listeners serve no
    /// operators.
    let hasOperatorListeners: Bool
    /// Returns the current failure of the process, for `/livez` on a connection above the maximum
    /// number of connections. If the closure itself is `nil`, the transport refuses all connections
    /// above this number.
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
        if exchange.isNoted { exchange.noteAccess { identity.note(in: &$0) } }
        return identity
    }
}
