import HTTPTransport
import Platform
import StoreCore
import Synchronization
import Wire

/// What the routes share: the Core, what it publishes, and the transport's clock.
final class Store<State: Codable & Equatable & Sendable>: Sendable {
    let configuration: ServerConfiguration
    let registry: ActionRegistry<State>
    /// The registry's, for requests.
    let actions: ActionTable
    let core: Core<State>
    let publisher: Publisher<State>
    let streams: StreamWriter
    let waiters: LongPolls
    let encoder: JSONEncoder
    let timeTravel: TimeTravel<State>
    let log: ActionLog
    /// The streams of projections, where the state is made of modules.
    let viewStreams: ViewStreams<State>?
    /// The sessions of clients, where the state has any.
    let sessions: SessionTable?
    /// Which clients show which modules, where the state is made of any.
    let presence: ViewPresence?
    /// Makes answers that would hold up the event loop or the Core. Each that waits has a connection.
    let reading: BackgroundWork
    /// Finds what dry runs would change. Each that waits has a connection.
    let comparing: BackgroundWork
    private let patchSlices: ModuleParts<State>.Patch?
    private let lookAt:
        (@Sendable (Core<State>, @escaping @Sendable (State, UInt64) -> Void) -> Void)?
    private let transport = Locked<HTTPServer?>(nil)
    private let draining = Atomic(false)
    private let hasOffered = Atomic(false)

    init(
        configuration: ServerConfiguration,
        registry: ActionRegistry<State>,
        core: Core<State>,
        publisher: Publisher<State>,
        streams: StreamWriter,
        waiters: LongPolls,
        encoder: JSONEncoder,
        timeTravel: TimeTravel<State>,
        log: ActionLog,
        viewStreams: ViewStreams<State>? = nil,
        sessions: SessionTable? = nil,
        presence: ViewPresence? = nil,
        look: (@Sendable (Core<State>, @escaping @Sendable (State, UInt64) -> Void) -> Void)? = nil,
        patch: ModuleParts<State>.Patch? = nil
    ) {
        self.configuration = configuration
        self.registry = registry
        actions = registry.table
        self.core = core
        self.publisher = publisher
        self.streams = streams
        self.waiters = waiters
        self.encoder = encoder
        self.timeTravel = timeTravel
        self.log = log
        self.viewStreams = viewStreams
        self.sessions = sessions
        self.presence = presence
        let waitingMax = configuration.connectionsMax
        let version: @Sendable () -> UInt64 = { publisher.snapshot.version }
        reading = BackgroundWork(
            "reading",
            runningMax: 1,
            waitingMax: waitingMax,
            pacedBy: version
        )
        comparing = BackgroundWork(
            "dry runs",
            runningMax: 1,
            waitingMax: waitingMax,
            pacedBy: version
        )
        patchSlices = patch
        lookAt = look
    }

    /// Says which transport answers; called once, before it starts.
    func attach(_ server: HTTPServer) {
        transport.withLock { $0 = server }
        publisher.wake { [weak server] in server?.wake() }
    }

    /// What happens in the transport.
    var transportCounters: TransportCounters? { transport.withLock { $0 }?.counters }

    /// Whether the server is about to stop.
    var isDraining: @Sendable () -> Bool {
        { [self] in draining.load(ordering: .relaxed) }
    }

    /// From now on the server is about to stop.
    func drain() {
        draining.store(true, ordering: .relaxed)
    }

    /// Notes that the Core has been offered something in this turn of the event loop.
    func offered() {
        hasOffered.store(true, ordering: .relaxed)
    }

    /// Wakes the Core for all that it was offered in this turn, so that it finds a batch.
    func nudgeCore() {
        guard hasOffered.load(ordering: .relaxed) else { return }
        hasOffered.store(false, ordering: .relaxed)
        core.nudge()
    }

    /// Calls `look` with the state and its version on the Core's thread, where the state is made of
    /// modules.
    func look(_ look: @escaping @Sendable (State, UInt64) -> Void) {
        lookAt?(core, look)
    }

    /// The patch between two states, given the slices that are not as they were.
    func patch(
        from old: State,
        to new: State,
        in touches: [Touch]
    ) throws(JSONError) -> Bytes {
        if let patchSlices { return try patchSlices(old, new, touches, encoder).get() }
        return try StateDifference.patch(from: old, to: new, encoder)
    }

    /// Lets the transport send the answers that were completed outside a batch of the Core.
    func wake() {
        transport.withLock { $0 }?.wake()
    }

    /// Runs `work` on the event loop's thread after so many seconds, unless the timer is cancelled
    /// before.
    @discardableResult
    func schedule(after seconds: Double, _ work: @escaping @Sendable () -> Void) -> LoopTimer? {
        transport.withLock { $0 }?.schedule(after: seconds, work)
    }
}
