import CStoreHTTPD
import DefaultStore
import Glibc
import StoreAdmission
import StoreCore
import StoreJSON
import StorePlatform
import StoreTelemetry
import StoreWire
import Synchronization
import Testing

@testable import StoreHTTP
@testable import StoreHTTPTransport
@testable import StoreHistory
@testable import StorePublishing
@testable import StoreServer

/// The default store without a socket: requests go to the router as the event loop hands them over.
/// Their framing is checked, too.
final class InProcessServer {
    /// The longest wait for an answer from another thread.
    static let answerMillisecondsMax: CInt = 10_000

    private let parts: StoreAssembly<AppState>
    private let router: Router

    /// Starts a server, with these routes in place of its own if there are any.
    init(
        _ server: Server<AppState> = Server(AppState.self, actions: [ScreenShown.self]),
        serving routes: [any RouteGroup]? = nil
    ) throws {
        var configuration = ServerConfiguration()
        configuration.analytics.destination = .off
        configuration.history.ephemeral = true
        let transport = try HTTPServer(
            configuration: configuration.transport,
            handler: StartGate(HostRule(listening: [], additional: [])),
            startThread: { SystemThread.start(name: $0, $1) },
            log: { _ in }
        )
        let process = try ServerProcess(configuration, on: transport, .standardError)
        parts = try StoreAssembly(
            StoreContext(
                server,
                configuration,
                in: process,
                World(server.dependencies, .system)
            )
        )
        let environment = routes.map { [parts] in
            RequestEnvironment(
                RouteCatalog($0),
                forgetsClients: false,
                logger: parts.store.logger,
                wakeLoop: parts.store.wakeLoop
            )
        }
        router =
            environment.map {
                Router(
                    $0,
                    hosts: HostRule(listening: [], additional: []),
                    takeWorkAfterTurn: { nil }
                )
            } ?? parts.router
        parts.core.start()
    }

    deinit {
        parts.core.stop()
    }

    var store: Store { parts.store }

    var core: Core<AppState> { parts.core }

    var epoch: String { parts.stateStreams.epoch.description }

    /// Returns the answer to a request.
    func answer(
        _ method: String,
        _ target: String,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) throws -> HTTPResponse {
        var headers = headers
        if !headers.contains(where: { $0.name.lowercased() == "host" }) {
            headers.append(("Host", "localhost"))
        }
        if !body.isEmpty { headers.append(("Content-Length", String(body.count))) }
        let exchange = HTTPExchange(loop: parts.context.process.transport.loop)
        let texts = headers.map { (name: Array($0.name.utf8), value: Array($0.value.utf8)) }
        // The fields point into these bytes until the answer is made.
        let memory = texts.flatMap { $0.name + $0.value }
        return try memory.withUnsafeBytes { memory in
            let base = try #require(memory.bindMemory(to: CChar.self).baseAddress)
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
            return try answer(exchange, method, target, body)
        }
    }

    private func answer(
        _ exchange: HTTPExchange,
        _ method: String,
        _ target: String,
        _ body: [UInt8]
    ) throws -> HTTPResponse {
        let framing = try RequestFraming(
            fields: UnsafeBufferPointer(start: exchange.fields, count: exchange.fieldCount),
            isHTTP10: false
        )
        try exchange.begin(method, target, framing)
        if let refusal = router.admit(exchange) { return refusal }
        exchange.bodyBytes = body
        router.handle(exchange)
        router.workAfterTurn()?()
        // Only the thread that completes a suspended exchange may use its outcome.
        if case .none = exchange.waitState { return try response(of: exchange) }
        try waitForCompletion(exchange)
        return try response(of: exchange)
    }

    private func response(of exchange: HTTPExchange) throws -> HTTPResponse {
        switch exchange.outcome {
        case .response(let response): return response
        case .answer(let answer): return HTTPResponse(answer)
        default: throw Unanswered()
        }
    }

    /// Waits as the loop does: until a thread that has completed an exchange wakes it.
    private func waitForCompletion(_ exchange: HTTPExchange) throws {
        let loop = parts.context.process.transport.loop
        var isFinished = false
        while !isFinished {
            var woken = pollfd(fd: loop.wakeDescriptor, events: Int16(POLLIN), revents: 0)
            try #require(poll(&woken, 1, Self.answerMillisecondsMax) == 1, "no answer comes")
            var value: UInt64 = 0
            read(loop.wakeDescriptor, &value, 8)
            isFinished = loop.finishedExchanges.withLock { finished in
                defer { finished.exchanges = [] }
                return finished.exchanges.contains { $0 === exchange }
            }
        }
    }

    /// The error for a request without an answer, or with an abandoned exchange.
    struct Unanswered: Error {}
}

extension HTTPExchange {
    /// Begins a request as the event loop does after the headers.
    func begin(_ method: String, _ target: String, _ framing: RequestFraming) throws {
        self.target = Array(target.utf8)
        setHead(
            method: RequestMethod(method),
            target: try RequestTarget(self.target, of: RequestMethod(method)),
            framing: framing,
            isHTTP10: false
        )
    }
}

extension HTTPResponse {
    var bodyBytes: [UInt8] {
        switch body {
        case .none: []
        case .bytes(let bytes): bytes
        case .shared(let bytes): bytes.array
        }
    }

    /// The body as a text.
    var text: String { String(decoding: bodyBytes, as: UTF8.self) }
}
