import CStoreHTTPD
import DefaultStore
import Glibc
import StoreAdmission
import StoreCore
import StoreJSON
import StoreJournalSQLite
import StorePatterns
import StorePlatform
import StoreTelemetry
import StoreWire
import Synchronization

@testable import StoreActionCatalog
@testable import StoreHTTP
@testable import StoreHTTPTransport
@testable import StoreHistory
@testable import StorePublishing
@testable import StoreServer

/// A server that runs on one thread, the caller's. Requests go to the router as the event loop
/// hands them over, and the simulation's calls do all other work.
///
/// Only this file and `SimulatedServer+Requests.swift` use the inner parts of the server.
final class SimulatedServer<Root: RootState> {
    /// The longest wait for an answer from another thread.
    static var answerMillisecondsMax: CInt { 10_000 }

    /// The number of sessions that one address may begin.
    static var sessionsPerAddressMax: Int { 3 }

    let journal: any Journal
    let clock: ManualClock
    /// True if clients without a session read the slices of all sessions.
    let operatorReads: Bool
    let executor = SteppedExecutor()
    let parts: StoreAssembly<Root>
    /// The other store of the process.
    let neighbour: Neighbour
    /// The router that passes requests to one of the two stores.
    let handler: any HTTPHandler
    /// The connections of all requests, used in turns, as a proxy sends them.
    private let connections = (0..<2).map { _ in
        LoopConnection(descriptor: -1, peer: .unknown, isAdmin: false, deadline: .infinity)
    }
    private var sent = 0
    private let loop: StreamLoop
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: StreamLoop.eventsMax)
    private let hubWake = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    private let failure = Flag()
    /// True if the server has begun with the modules that start with the store.
    let isFresh: Bool

    /// Returns the connection of the next request.
    func nextConnection() -> LoopConnection {
        sent += 1
        return connections[sent % connections.count]
    }

    /// Starts a server on the journal's records, as ``Server/finish(_:)`` does.
    init(
        _ server: Server<Root>,
        on journal: any Journal,
        _ clock: ManualClock,
        _ dependencies: Dependencies,
        _ recorder: Recorder,
        operatorReads: Bool = false,
        roles: Roles? = nil,
        isLimited: Bool = false,
        observedBy observer: (@Sendable (Root) -> Void)? = nil
    ) throws {
        self.journal = journal
        self.clock = clock
        var configuration = ServerConfiguration()
        configuration.analytics.destination = .off
        configuration.history.ephemeral = true
        configuration.access.operatorReads = operatorReads
        if isLimited { configuration.web.actionRate = Shares.rate }
        let plain = configuration
        roles?.configure(&configuration)
        self.operatorReads = operatorReads
        configuration.sessions.perAddressMax = Self.sessionsPerAddressMax
        let transport = try HTTPServer(
            configuration: configuration.transport,
            handler: StartGate(HostRule(listening: [], additional: [])),
            startThread: { _, _ in },
            log: { _ in }
        )
        var world = World(dependencies, .system)
        world.simulatedWorld = SimulatedWorld(
            journal: journal,
            clock: clock.timeOfDay,
            executor: executor,
            onJournalFailure: { [failure] _ in failure.isSet.store(true, ordering: .relaxed) },
            makeFollower: { SimulatedFollower(recorder, appended: $0) }
        )
        let process = try ServerProcess(
            configuration,
            on: transport,
            .standardError,
            clock: clock.timeOfDay
        )
        parts = try StoreAssembly(StoreContext(server, configuration, in: process, world))
        neighbour = try Neighbour(in: process, plain, clock, executor)
        handler = StoresRouter(
            rootStore: parts.router,
            namedStores: [("neighbour", neighbour.parts.router)]
        )
        loop = StreamLoop(
            writer: parts.store.streamWriter,
            epoll: epoll_create1(CInt(EPOLL_CLOEXEC)),
            wakeDescriptor: hubWake
        )
        loop.nextSecond = .infinity
        let core = parts.core
        core.add(middleware: { state, _, envelope in
            let before = recorder.texts.slices(of: state).whole
            return { recorder.line(envelope.version, before, envelope.cause) }
        })
        if let observer { core.observe(with: observer) }
        for reaction in server.reactions where !reaction.isAtStart { core.add(reaction: reaction) }
        isFresh = try parts.offerFirstStarts() != nil
        for reaction in server.reactions where reaction.isAtStart { core.add(reaction: reaction) }
        parts.resumeEffects()
    }

    deinit {
        parts.stateStreams.close()
        // The waiting timers and answers hold the whole store.
        parts.context.process.transport.loop.forgetAll()
        loop.releaseAll()
        events.deallocate()
        close(hubWake)
    }

    /// True if an append failed and its result is unknown. The process would have ended.
    var hasFailed: Bool { failure.isSet.load(ordering: .relaxed) }

    var epoch: String { parts.stateStreams.epoch.description }
    var version: UInt64 { parts.stateStreams.snapshot.version }
    var state: [UInt8] { parts.stateStreams.snapshot.state.array }
    /// The published slice of each module; `nil` if it is absent.
    var slices: [[UInt8]?] { parts.stateStreams.snapshot.slices.map { $0.bytes?.array } }
    var runningEffects: Int { parts.store.engine.effects?.runningCount ?? 0 }

    /// Dispatches as many actions of the program itself as may wait.
    func fillOwnMailbox(with action: any Action) {
        for _ in 0..<CoreConfiguration<Root>().programMailboxMax {
            parts.store.engine.dispatchProgramAction(
                action,
                from: ActionSource(sourceLocation: "Simulator/own")
            )
        }
    }

    /// Makes the Core read the records of other servers in the next turn.
    func followAll() {
        parts.core.readRecordsOfOtherWriters()
    }

    /// Lets the Cores work off their mailboxes. Returns true if there was work.
    func turnCore() -> Bool {
        let turned = parts.core.runTurn()
        return neighbour.parts.core.runTurn() || turned
    }

    /// The number of timers that have neither run nor been cancelled.
    var timerCount: Int { parts.context.process.transport.loop.timers.count }

    /// Lets the streams' loop take the published frames and send them.
    func turnStreams() {
        parts.stateStreams.flush(seconds: 10)
        loop.runTurn(events, waitingFor: 0)
        // The log's own thread does the same.
        let log = parts.log
        while let version = log.worker.withQueue({ $0.isEmpty ? nil : $0.take() }) {
            log.readPiece(with: version)
            parts.store.streamWriter.wakeLogReaders()
            loop.runTurn(events, waitingFor: 0)
        }
    }

    /// Begins no further effects, and cancels the running effects.
    func stopEffects() { parts.store.engine.effects?.stop() }

    /// Saves the published state, as the thread for snapshots does.
    func keepSnapshot() throws {
        let snapshot = parts.stateStreams.snapshot
        guard let first = try journal.snapshot(atOrBefore: .max), snapshot.version > first.version
        else { return }
        try journal.save(
            StateSnapshot(
                version: snapshot.version,
                time: 0,
                state: snapshot.state.array,
                form: first.formID
            )
        )
    }

    /// Makes the sealer of a program's personal values, with the keys in a directory; `nil` if the
    /// program has none.
    static func sealer(_ server: Server<Root>, in directory: String) throws -> RecordSealer? {
        var configuration = ServerConfiguration()
        configuration.history.directory = directory
        return try server.recordSealer(configuration)
    }

    /// Forgets owners, as the server does after their actions.
    func forget(_ owners: [String]) throws -> UInt64 {
        defer { parts.log.dropCache() }
        return try parts.keeper.forget(owners)
    }

    /// Returns the name of the session that has this secret.
    static func session(of secret: String, for principal: String? = nil) -> String {
        SessionTable.name(of: secret, for: principal)
    }

    /// Reads keys and policy again, as on SIGHUP.
    func reloadAccess() throws { try parts.reloadAccess() }

    /// Returns the module of an action; `nil` for the whole state.
    func module(of type: String) -> String? {
        parts.store.actions[type].flatMap { $0.entry.isOfWholeState ? nil : $0.module }
    }

    /// Begins a session, as the server does for a client with this secret.
    func beginSession(_ secret: String, for principal: String? = nil) -> Bool {
        let name = Self.session(of: secret, for: principal)
        guard let sessions = parts.store.sessions,
            (try? sessions.begin(name, from: "simulator")) != nil
        else { return false }
        guard
            let members = try? Self.beginning(of: name).map({
                try parts.store.actions.member(of: $0, parts.store.encoder)
            })
        else { return false }
        let source = ActionSource(sourceLocation: "Simulator/sessions", session: name)
        let envelope = Envelope(members: members, source: source, completion: Unanswered())
        return (try? parts.store.engine.offer(envelope)) != nil
    }

    /// Dispatches actions of the program itself in the name of a principal. Returns `false` if the
    /// Core does not take the actions.
    func dispatch(_ actions: [any Action], as principal: ActionPrincipal?) -> Bool {
        let store = parts.store
        guard let members = try? actions.map({ try store.actions.member(of: $0, store.encoder) })
        else { return false }
        let source = ActionSource(sourceLocation: "Simulator/users", principal: principal)
        let envelope = Envelope(members: members, source: source, completion: Unanswered())
        return (try? parts.store.engine.offer(envelope)) != nil
    }

    /// Ends the streams and the waiting requests of a session that has ended.
    func closeSession(_ session: String) {
        parts.store.sessions?.remove(session)
        parts.store.streamWriter.endStreams(of: session)
        parts.store.reader.endWaits(of: session)
    }

    /// Returns the actions that begin a session in one step.
    static func beginning(of session: String) -> [any Action] {
        [Sessions.Internal.began(session: session)] + Root.sessionStartActions
    }

    /// True if a session of this name is open here.
    func isOpen(_ session: String) -> Bool { parts.store.sessions?.useIfOpen(session) == true }

    /// Returns the wire name and the payload of an action of the program, as the journal has them.
    func wire(_ action: any Action) throws -> (type: String, payload: [UInt8]) {
        let member = try parts.store.actions.member(of: action, parts.store.encoder)
        return (member.type, member.payload)
    }

    /// Returns the action of a record, decoded without the coders' memory of earlier records.
    func action(_ type: String, _ payload: [UInt8]) throws -> any Action {
        if let request = ClientRequest(recorded: type) { return request }
        guard let entry = parts.store.actions[type] else { throw Unreadable(type: type) }
        let document = try JSONDocument(parsing: payload, limits: .unbounded)
        return try entry.decode(document.root, JSONDecoder(limits: .unbounded))
    }

    /// The error for a record whose action has an unknown name.
    struct Unreadable: Error { let type: String }
}

/// A completion that ignores the outcome. The simulation reads it in the log.
private final class Unanswered: Completion {
    func complete(_ outcome: Outcome) {}
}

/// A flag that is set once.
private final class Flag: Sendable {
    let isSet = Atomic(false)
}
