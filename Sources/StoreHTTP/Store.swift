package import StoreActionCatalog
package import StoreCore
package import StoreHTTPTransport
import StorePlatform
package import StoreTelemetry
package import StoreWire
import Synchronization

/// What the routes share: the way into the Core, the reader of what it publishes, and the
/// transport's clock. No type of it depends on the state's.
package final class Store: Sendable {
    /// The paths of its resources.
    package let links: Links
    package let bounds: RequestBounds
    package let actions: ActionTable
    package let core: CoreHandle
    package let reader: StateReader
    package let streams: StreamWriter
    package let encoder: JSONEncoder
    package let logger: Logger
    /// The sessions of clients, where the state has any.
    package let sessions: SessionTable?
    /// What starts with each session, in its first step.
    package let sessionStarts: [any Action]
    /// Which clients show which modules, where the state is made of any.
    package let presence: ViewPresence?
    /// What became of dispatches whose clients did not wait for the end.
    package let outcomes: DispatchOutcomes
    private let transport = Locked<HTTPServer?>(nil)
    private let draining = Atomic(false)
    private let hasOffered = Atomic(false)

    package init(
        at links: Links = Links(),
        bounds: RequestBounds,
        actions: ActionTable,
        core: CoreHandle,
        reader: StateReader,
        streams: StreamWriter,
        encoder: JSONEncoder,
        logger: Logger,
        sessions: SessionTable? = nil,
        sessionStarts: [any Action] = [],
        presence: ViewPresence? = nil,
        outcomes: DispatchOutcomes = DispatchOutcomes()
    ) {
        self.links = links
        self.bounds = bounds
        self.actions = actions
        self.core = core
        self.reader = reader
        self.streams = streams
        self.encoder = encoder
        self.logger = logger
        self.sessions = sessions
        self.sessionStarts = sessionStarts
        self.presence = presence
        self.outcomes = outcomes
    }

    /// Sets the transport that sends the answers; called once, before it starts.
    package func attach(_ server: HTTPServer) {
        transport.withLock { $0 = server }
    }

    /// Whether the server is about to stop.
    package var isDraining: @Sendable () -> Bool {
        { [self] in draining.load(ordering: .relaxed) }
    }

    /// How long requests go on waiting for what follows their actions when the server stops, in
    /// seconds: the end of the effects, which are cancelled, comes first.
    private static let stopWaitSeconds = 0.5

    /// From now on the server is about to stop.
    package func drain() {
        draining.store(true, ordering: .relaxed)
        schedule(after: Self.stopWaitSeconds, outcomes.giveUp)
    }

    /// The response for a problem of a request.
    func response(_ problem: Problem, for id: RequestID) -> HTTPResponse {
        problem.response(for: id, in: links.store)
    }

    /// Notes that the Core has been offered something in this turn of the event loop.
    func offered() {
        hasOffered.store(true, ordering: .relaxed)
    }

    /// Wakes the Core for all that it was offered in this turn, so that it finds a batch.
    package func nudgeCore() {
        guard hasOffered.load(ordering: .relaxed) else { return }
        hasOffered.store(false, ordering: .relaxed)
        core.nudge()
    }

    /// Lets the transport send the answers that were completed outside a batch of the Core.
    package func wake() {
        transport.withLock { $0 }?.wake()
    }

    /// Runs `work` on the event loop's thread after so many seconds, unless the timer is cancelled
    /// before.
    @discardableResult
    package func schedule(after seconds: Double, _ work: @escaping @Sendable () -> Void)
        -> LoopTimer?
    {
        transport.withLock { $0 }?.schedule(after: seconds, work)
    }
}
