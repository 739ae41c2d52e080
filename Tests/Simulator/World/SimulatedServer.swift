import CHTTPD
import Domain
import EventStream
import Glibc
import Locks
import StoreCore
import Synchronization
import Wire

@testable import HTTPTransport
@testable import StoreServer

/// A server whose threads are one, the caller's: requests go to the router as the event loop would hand
/// them over, and everything else is done when it is told to.
///
/// All that touches the inside of the server is in this file.
final class SimulatedServer<Root: RootState> {
    /// How long an answer from another thread is waited for.
    static var answerMillisecondsMax: CInt { 10_000 }

    let journal: SimulatedJournal
    let clock: ManualClock
    let executor = SteppedExecutor()
    private let parts: StoreServer<Root>.Parts
    private let loop: StreamLoop
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: StreamLoop.eventsMax)
    private let hubWake = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    private let failure = Flag()

    /// Starts a server as ``StoreServer/finish(_:)`` does, on what the journal has.
    init(
        _ server: StoreServer<Root>,
        on journal: SimulatedJournal,
        _ clock: ManualClock,
        _ dependencies: Dependencies,
        _ recorder: Recorder
    ) throws {
        self.journal = journal
        self.clock = clock
        var configuration = ServerConfiguration()
        configuration.analytics = .off
        configuration.ephemeral = true
        let transport = try HTTPServer(
            configuration: configuration.transport,
            handler: StartGate(HostRule(listening: [], further: [])),
            streams: nil,
            startThread: { _, _ in },
            log: { _ in }
        )
        var world = World(dependencies, .system)
        world.simulated = SimulatedWorld(
            journal: journal,
            clock: clock.timeOfDay,
            executor: executor,
            failed: { [failure] _ in failure.isSet.store(true, ordering: .relaxed) },
            dropped: { recorder.unheard(.init(type: $0.type, cause: $0.source.cause)) },
            applied: { actions in
                recorder.applied(
                    actions.map {
                        .init(version: $0.version, type: Bytewise($0.type), changed: $0.changed)
                    }
                )
            }
        )
        parts = try server.assemble(configuration, on: transport, in: world)
        transport.loop.streams = parts.store.streams
        loop = StreamLoop(
            writer: parts.store.streams,
            epoll: epoll_create1(CInt(EPOLL_CLOEXEC)),
            wakeDescriptor: hubWake
        )
        loop.nextSecond = .infinity
        let core = parts.store.core
        core.add { (state: Root, action: StampedAction) in
            let before = Bytewise(json: state)
            return { recorder.line(action.version, before, action.cause) }
        }
        for interceptor in server.interceptors { core.add(interceptor: interceptor) }
        for reaction in server.reactions { core.add(reaction: reaction) }
        parts.resume()
    }

    deinit {
        parts.store.publisher.close()
        loop.releaseAll()
        events.deallocate()
        close(hubWake)
    }

    /// Whether an append failed whose outcome is not known: the process would have ended.
    var hasFailed: Bool { failure.isSet.load(ordering: .relaxed) }

    var epoch: String { parts.store.publisher.epochText }
    var version: UInt64 { parts.store.publisher.snapshot.version }
    var state: [UInt8] { parts.store.publisher.snapshot.state.array }
    /// The slice of each module as it is published; `nil` where it is absent.
    var slices: [[UInt8]?] { parts.store.publisher.snapshot.slices.map { $0.bytes?.array } }
    var runningEffects: Int { parts.store.core.effects?.runningCount ?? 0 }

    /// Has the Core work off what waits. Answers whether there was anything.
    func turnCore() -> Bool { parts.store.core.turn() }

    /// Has the streams' loop take what was published, and send it.
    func turnStreams() {
        parts.store.publisher.flush(seconds: 10)
        loop.turn(events, waitingFor: 0)
    }

    /// Begins no effects any more, and cancels those that run.
    func stopEffects() { parts.store.core.effects?.stop() }

    /// Keeps the published state, as the thread for snapshots does.
    func keepSnapshot() throws {
        let snapshot = parts.store.publisher.snapshot
        guard let first = try journal.snapshot(atOrBefore: .max), snapshot.version > first.version
        else { return }
        try journal.save(
            StateSnapshot(
                version: snapshot.version,
                time: 0,
                state: snapshot.state.array,
                form: first.form
            )
        )
    }

    /// The name of the session that has this secret.
    static func session(of secret: String) -> String { SessionTable.name(of: secret) }

    /// Begins a session as a client does whose secret is drawn so.
    func beginSession(_ secret: String) -> Bool {
        let name = Self.session(of: secret)
        guard let sessions = parts.store.sessions,
            (try? sessions.begin(name, from: "simulator")) != nil
        else { return false }
        let began = Sessions.Internal.began(session: name)
        parts.store.core.dispatchOwn(began, at: "Simulator/sessions", from: [name])
        return true
    }

    /// What the journal keeps of an action of the program's own.
    func wire(_ action: any Action) throws -> (type: String, payload: [UInt8]) {
        let member = try parts.store.registry.member(of: action, parts.store.encoder)
        return (member.type, member.payload)
    }

    /// The action of a record, read without anything that is kept from record to record.
    func action(_ type: String, _ payload: [UInt8]) throws -> any Action {
        if let request = ClientRequest(recorded: type) { return request }
        guard let entry = parts.store.registry[type] else { throw Unreadable(type: type) }
        let document = try JSONDocument(parsing: payload, limits: .unbounded)
        return try entry.decode(document.root, JSONDecoder(limits: .unbounded))
    }

    /// No action has this name.
    struct Unreadable: Error { let type: String }
}

/// Whether something has happened.
private final class Flag: Sendable {
    let isSet = Atomic(false)
}

// Requests

/// A request that was handed over and may not be answered yet.
final class SimulatedExchange {
    fileprivate let exchange: HTTPExchange
    /// What the fields of the headers lie in.
    fileprivate let memory: [UInt8]

    fileprivate init(_ exchange: HTTPExchange, _ memory: [UInt8]) {
        self.exchange = exchange
        self.memory = memory
    }

    /// The answer, when there is one.
    var answer: Answer? {
        switch exchange.outcome {
        case .response(let response): Answer(response)
        case .answer(let answer): Answer(HTTPResponse(answer))
        case .abandoned: .abandoned
        case .handedOver: .streaming
        case .none, .again, .suspendedForGood, .stream, .written: nil
        }
    }
}

enum Answer {
    case response(status: Int, body: [UInt8])
    case abandoned
    case streaming

    fileprivate init(_ response: HTTPResponse) {
        let body: [UInt8] =
            switch response.body {
            case .none: []
            case .bytes(let bytes): bytes
            case .shared(let bytes): bytes.array
            }
        self = .response(status: response.status, body: body)
    }
}

extension SimulatedServer {
    /// Hands a request over.
    ///
    /// - Parameter socket: what a stream is sent to.
    func send(
        _ method: String,
        _ target: String,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        socket: CInt? = nil
    ) throws -> SimulatedExchange {
        var headers = headers
        headers.append(("Host", "localhost"))
        if !body.isEmpty {
            headers.append(("Content-Type", "application/json"))
            headers.append(("Content-Length", String(body.count)))
        }
        let exchange = HTTPExchange(loop: parts.transport.loop)
        let texts = headers.map { (name: Array($0.name.utf8), value: Array($0.value.utf8)) }
        let memory = texts.flatMap { $0.name + $0.value }
        // The routes read the fields while they take the request, and not later.
        try memory.withUnsafeBytes { memory in
            guard let base = memory.bindMemory(to: CChar.self).baseAddress else { return }
            var place = 0
            for (name, value) in texts {
                exchange.fields[exchange.fieldCount] = chttpd_field(
                    name: base + place,
                    value: base + place + name.count,
                    name_length: name.count,
                    value_length: value.count
                )
                exchange.fieldCount += 1
                place += name.count + value.count
            }
            try take(exchange, method, target, body)
        }
        let sent = SimulatedExchange(exchange, memory)
        if let socket { stream(sent, to: socket) }
        return sent
    }

    /// Hands a socket to the stream writer, where the request became a stream.
    private func stream(_ sent: SimulatedExchange, to socket: CInt) {
        if case .none = sent.exchange.hold {} else if !wait(for: sent) { return }
        collect()
        guard case .stream(let beginning) = sent.exchange.outcome else { return }
        sent.exchange.outcome = .handedOver
        parts.store.streams.adopt(
            descriptor: fcntl(socket, F_DUPFD_CLOEXEC, 3),
            opening: beginning.opening,
            topic: beginning.topic,
            resume: beginning.resume,
            owner: beginning.owner,
            ended: beginning.owner.left
        )
    }

    private func take(
        _ exchange: HTTPExchange,
        _ method: String,
        _ target: String,
        _ body: [UInt8]
    ) throws {
        let framing = try RequestFraming(
            fields: UnsafeBufferPointer(start: exchange.fields, count: exchange.fieldCount),
            isHTTP10: false
        )
        exchange.target = Array(target.utf8)
        exchange.begin(
            method: RequestMethod(method),
            place: try RequestTarget(exchange.target),
            framing: framing,
            isHTTP10: false
        )
        if let refusal = parts.router.admit(exchange) {
            exchange.outcome = .response(refusal)
            return
        }
        exchange.bodyBytes = body
        parts.router.handle(exchange)
        parts.router.turnEnded()
    }

    /// Takes the answers that are there; the loop's timers are none of ours.
    func collect() {
        let loop = parts.transport.loop
        let done = loop.finished.withLock { finished in
            defer { finished = [] }
            return finished
        }
        for exchange in done { loop.resume(exchange) }
        loop.takeTimers()
    }

    /// Waits for an answer that another thread gives.
    func wait(for exchange: SimulatedExchange) -> Bool {
        let loop = parts.transport.loop
        while true {
            let isDone = loop.finished.withLock { finished in
                finished.contains { $0 === exchange.exchange }
            }
            if isDone { return true }
            if case .none = exchange.exchange.hold { return exchange.answer != nil }
            var woken = pollfd(fd: loop.wakeDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&woken, 1, Self.answerMillisecondsMax) == 1 else { return false }
            var value: UInt64 = 0
            read(loop.wakeDescriptor, &value, 8)
        }
    }
}

extension StreamLoop {
    /// Lets every reader go.
    fileprivate func releaseAll() {
        for slot in slots.indices { release(Int32(slot)) }
    }
}
