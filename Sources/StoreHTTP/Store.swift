package import StoreActionCatalog
import StoreAdmission
package import StoreCore
package import StoreHTTPTransport
package import StoreJSON
import StorePlatform
package import StoreTelemetry
import StoreWire
import Synchronization

/// The objects that a store's routes share: the Core, the reader of its published states, the
/// streams, and the transport's clock. No type here depends on the type of the state.
package final class Store: Sendable {
    /// The paths of the store's resources.
    package let links: Links
    package let bounds: RequestBounds
    package let actions: ActionTable
    /// The modules of the state, in their order; empty for a state that is not made of modules.
    let modules: [SliceDescription]
    /// The Core, without the type of its state.
    package let engine: Engine
    package let reader: StateReader
    package let streamWriter: StreamWriter
    package let encoder: JSONEncoder
    package let logger: Logger
    /// The sessions of clients; `nil` if the state has no sessions.
    package let sessions: SessionTable?
    /// The sessions of the store at `/`, if the clients of this store use these sessions.
    let joinedSessions: JoinedSessions?
    /// The counts of each session's streams, for the modules that get an action when a session
    /// departs. `nil` if no module gets this action.
    let departures: SessionDepartures?
    /// The actions that are applied together with the beginning of each session.
    package let sessionStartActions: [any Action]
    /// The slices that clients show; `nil` if the state is not made of modules.
    package let presence: ViewPresence?
    /// The outcomes of dispatches that were answered before their effects had ended.
    package let outcomes = DispatchOutcomes()
    private let transport = Locked<HTTPServer?>(nil)
    private let hasBegunDrain = Atomic(false)
    private let hasOfferedEnvelopes = Atomic(false)
    /// Processes, on the calling thread, the envelopes that ``wakeOrClaimCore()`` has claimed for
    /// the event loop.
    private let processClaimedEnvelopes: @Sendable () -> Void

    package init(
        at links: Links = Links(),
        bounds: RequestBounds,
        actions: ActionTable,
        modules: [SliceDescription] = [],
        core: Engine,
        reader: StateReader,
        streams: StreamWriter,
        encoder: JSONEncoder,
        logger: Logger,
        sessions: SessionTable? = nil,
        joinedSessions: JoinedSessions? = nil,
        departures: SessionDepartures? = nil,
        sessionStartActions: [any Action] = [],
        presence: ViewPresence? = nil
    ) {
        self.links = links
        self.bounds = bounds
        self.actions = actions
        self.modules = modules
        self.engine = core
        processClaimedEnvelopes = { core.runClaimedTurn() }
        self.reader = reader
        self.streamWriter = streams
        self.encoder = encoder
        self.logger = logger
        self.sessions = sessions
        self.joinedSessions = joinedSessions
        self.departures = departures
        self.sessionStartActions = sessionStartActions
        self.presence = presence
        guard joinedSessions != nil || departures != nil else { return }
        sessions?.onRemoval { [weak self] name in self?.noteSessionEnded(name) }
    }

    /// Ends the joined session of a session that has ended, and dispatches the actions for its
    /// departure.
    private func noteSessionEnded(_ name: String) {
        if let joinedSessions, !joinedSessions.end(name, in: self) { return }
        departures?.noteSessionEnded(name)
    }

    /// Sets the transport that sends the answers. Called once, before the transport starts.
    package func attach(_ server: HTTPServer) { transport.withLock { $0 = server } }

    /// The function that returns true if the server is about to stop.
    package var isDraining: @Sendable () -> Bool {
        { [self] in hasBegunDrain.load(ordering: .relaxed) }
    }

    /// The seconds for which requests still wait for effects when the server stops. The effects are
    /// cancelled before this wait, so most of these requests are answered earlier.
    private static let stopWaitSeconds = 0.5

    /// Begins the stop. From now on, ``isDraining`` returns true, and requests wait for effects
    /// only for ``stopWaitSeconds``.
    package func drain() {
        hasBegunDrain.store(true, ordering: .relaxed)
        schedule(after: Self.stopWaitSeconds, outcomes.giveUpWaits)
    }

    func response(_ problem: Problem, for id: RequestID) -> HTTPResponse {
        problem.response(for: id, in: links.storeName)
    }

    /// Records that a request has offered an envelope to the Core in this turn of the event loop.
    func noteOffer() { hasOfferedEnvelopes.store(true, ordering: .relaxed) }

    /// Wakes the Core once for all envelopes that were offered in this turn of the event loop, so
    /// that they make one batch. If the Core sleeps and few envelopes wait, leaves the Core asleep
    /// and claims the envelopes. In this case, returns the function with which the event loop's
    /// thread processes the envelopes.
    package func wakeOrClaimCore() -> (@Sendable () -> Void)? {
        guard hasOfferedEnvelopes.load(ordering: .relaxed) else { return nil }
        hasOfferedEnvelopes.store(false, ordering: .relaxed)
        return engine.claimTurn() ? processClaimedEnvelopes : nil
    }

    /// Wakes the transport, which sends the answers that were completed outside a batch.
    package func wakeLoop() { transport.withLock { $0 }?.wake() }

    /// Keeps the session of a stream or of a waiting request from becoming idle until the hold
    /// ends. Returns `nil` if `session` is `nil`, or if the session is not open.
    func hold(_ session: String?) -> SessionHold? { session.flatMap { sessions?.hold($0) } }

    /// Keeps the session of a stream from becoming idle, and counts the stream for the modules that
    /// get an action when the session departs.
    func holdStream(of session: String?) -> SessionHold? {
        guard let departures, let session else { return hold(session) }
        departures.beginStream(of: session)
        let end = { @Sendable in departures.endStream(of: session) }
        guard let hold = sessions?.hold(session, onEnd: end) else {
            end()
            return nil
        }
        return hold
    }

    /// Begins a session of the store at `/` in this store, at the session's first request to this
    /// store. Returns false if the session has ended meanwhile.
    func joinSession(_ name: String) throws(MailboxError) -> Bool {
        try joinedSessions?.begin(name, in: self) ?? true
    }

    /// True if this store has sessions of its own, which clients begin and end here.
    package var hasOwnSessions: Bool { sessions != nil && joinedSessions == nil }

    /// Runs `work` on the event loop's thread after `seconds`, unless the timer is cancelled first.
    /// Without a transport, runs nothing and returns `nil`.
    @discardableResult
    package func schedule(
        after seconds: Double,
        _ work: @escaping @Sendable () -> Void
    ) -> LoopTimer? { transport.withLock { $0 }?.schedule(after: seconds, work) }
}

/// The bounds on clients' requests, as the flags of the program set them.
///
/// Routes themselves check the bounds on a body. The Core's mailbox and the stream writer enforce
/// the other bounds; routes only name them in problems.
package struct RequestBounds: Sendable {
    /// The maximum number of clients' actions in the mailbox. The mailbox enforces this bound.
    package let mailboxActionsMax: Int
    /// The maximum number of actions in a request whose body is an array.
    package let requestActionsMax: Int
    /// The bounds on the JSON of a request's body.
    let json: JSONLimits
    /// The maximum number of open streams. The stream writer enforces this bound.
    package let streamsMax: Int

    package init(mailboxActionsMax: Int, requestActionsMax: Int, json: JSONLimits, streamsMax: Int)
    {
        self.mailboxActionsMax = mailboxActionsMax
        self.requestActionsMax = requestActionsMax
        self.json = json
        self.streamsMax = streamsMax
    }
}

/// The longest wait of a request for effects, a newer version, or the server's start.
enum ClientWait {
    static let secondsMax = 60
}
