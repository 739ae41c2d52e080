import Dispatch
import Glibc
import StoreJSON
import StorePlatform
import StoreWire
import Synchronization

@testable import StoreHTTPTransport

/// A transport with a handler that echoes its requests, for the time of a test.
final class EchoServer: Sendable {
    let server: HTTPServer
    let streams: StreamWriter
    let handler = EchoHandler()

    convenience init(_ change: (inout TransportConfiguration) -> Void = { _ in }) throws {
        var limits = StreamLimits()
        limits.streamsMax = 3_000
        // No heartbeat comes within a test of few readers.
        limits.heartbeatSeconds = 3_600
        try self.init(limits: limits, change)
    }

    convenience init(log: TestLog) throws {
        try self.init(limits: StreamLimits(), log: log)
    }

    init(
        limits: StreamLimits,
        log: TestLog? = nil,
        _ change: (inout TransportConfiguration) -> Void = { _ in }
    ) throws {
        streams = try StreamWriter(
            limits: limits,
            frames: StreamFrames(
                makeHeartbeat: { Bytes(utf8: "beat \($0)\n") },
                makeExpiring: { Bytes(utf8: "expiring \($0)\n") },
                makeBye: { Bytes(utf8: "bye \($0.rawValue)\n") }
            )
        )
        var configuration = TransportConfiguration(
            addresses: [ListenAddress(endpoint: .inet(host: "127.0.0.1", port: 0))])
        change(&configuration)
        server = try HTTPServer(
            configuration: configuration,
            handler: handler,
            startThread: startThread,
            log: { _ in }
        )
        handler.attach(server, streams)
        if let log {
            log.attach(streams)
            streams.setLogSource(log)
        }
        try streams.start(startThread)
        try server.start()
    }

    deinit {
        _ = streams.stop(reason: .shutdown, seconds: 2)
        _ = server.stop(withinSeconds: 5)
    }

    var port: UInt16 {
        guard case .inet(_, let port) = server.boundAddresses[0].endpoint else { return 0 }
        return port
    }
}

@Sendable func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) {
    // A dispatch queue has a thread, which is enough for a test.
    DispatchQueue(label: name).async(execute: body)
}

/// The handler of these paths. `/echo` answers at once, and `/later` and `/soon` answer from
/// another thread. `/held` answers at the next `/release`, and `/holding` returns the number of
/// held requests. `/never` does not answer. `/events` is a stream, `/patches` a stream in patch
/// mode, and `/actions` the log. The last two begin after the version in the query. `/fields`
/// answers with the fields in the query and the body of the request.
final class EchoHandler: HTTPHandler {
    private let parts = Locked<(HTTPServer, StreamWriter)?>(nil)
    private let held = Locked<[HTTPExchange]>([])
    /// The credential of new streams.
    let credential = Locked<StreamCredential?>(nil)
    private let queue = DispatchQueue(label: "later", attributes: .concurrent)

    func attach(_ server: HTTPServer, _ streams: StreamWriter) {
        parts.withLock { $0 = (server, streams) }
    }

    private func owner(_ name: String?) -> StreamOwner {
        var owner = StreamOwner(name: name)
        owner.credential = credential.withLock { $0 }
        return owner
    }

    func admit(_ request: HTTPExchange) -> HTTPResponse? {
        request.path == "/refused" ? HTTPResponse(status: 409, body: .bytes(Array("no".utf8))) : nil
    }

    func handle(_ exchange: HTTPExchange) {
        let body = exchange.withBody { Array($0) }
        switch exchange.path {
        case "/later":
            exchange.suspend()
            queue.async { [self] in
                exchange.complete(HTTPResponse(status: 200, body: .bytes(body)))
                parts.withLock { $0?.0 }?.wake()
            }
        case "/soon":
            exchange.park()
            queue.async { [self] in
                exchange.complete(HTTPResponse(status: 200, body: .bytes(body)))
                parts.withLock { $0?.0 }?.wake()
            }
        case "/held":
            exchange.park()
            held.withLock { $0.append(exchange) }
        case "/holding":
            let count = held.withLock { $0.count }
            exchange.respond(HTTPResponse(status: 200, body: .bytes(Array("\(count)".utf8))))
        case "/release":
            exchange.respond(HTTPResponse(status: 200, body: .none))
            for other in held.withLock({ $0.takeAll() }) {
                other.complete(HTTPResponse(status: 200, body: .bytes(Array("held".utf8))))
            }
            parts.withLock { $0?.0 }?.wake()
        case "/never":
            exchange.suspend()
        case "/events":
            guard let streams = parts.withLock({ $0?.1 }), streams.reservePlace(.state) else {
                exchange.respond(HTTPResponse(status: 503))
                return
            }
            exchange.stream(
                StreamBeginning(Self.head, topic: .state, resume: .fresh, owner: owner(nil)),
                to: streams
            )
        case "/actions":
            guard let streams = parts.withLock({ $0?.1 }) else { return }
            _ = streams.reservePlace(.actions)
            exchange.stream(
                StreamBeginning(
                    Self.head,
                    topic: .actions,
                    resume: Self.resume(exchange),
                    owner: owner(nil)
                ),
                to: streams
            )
        case "/patches":
            let topic = TopicID.state.inMode(.patch)
            guard let streams = parts.withLock({ $0?.1 }) else { return }
            _ = streams.reservePlace(topic)
            exchange.stream(
                StreamBeginning(
                    Self.head,
                    topic: topic,
                    resume: Self.resume(exchange),
                    owner: owner(exchange.header("x-test"))
                ),
                to: streams
            )
        case "/fields":
            let fields = (exchange.query ?? "").split(separator: "&").map {
                let pair = $0.split(separator: "=")
                return (String(pair[0]), String(pair[1]))
            }
            exchange.respond(HTTPResponse(status: 200, headers: fields, body: .bytes(body)))
        case "/pieces":
            let sizes = (exchange.query ?? "").split(separator: "x").compactMap { Int($0) }
            let pieces = (0..<sizes[0]).map { index in
                Bytes([UInt8](repeating: UInt8(97 + index % 26), count: sizes[1]))
            }
            exchange.respond(
                HTTPResponse(status: 200, body: .shared(Bytes(joining: pieces)))
            )
        case "/shared":
            exchange.respond(HTTPResponse(status: 200, body: .shared(Bytes(utf8: "shared"))))
        default:
            let shown = "\(exchange.methodName) \(exchange.path) \(exchange.query ?? "-") "
            let host = (exchange.host ?? "-") + " " + (exchange.header("x-test") ?? "-") + " "
            exchange.respond(
                HTTPResponse(status: 200, body: .bytes(Array((shown + host).utf8) + body))
            )
        }
    }

    private static let head = StreamHead(
        responseHead: Bytes(utf8: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    )

    /// Returns the version in the query as the version to resume after, if there is one.
    private static func resume(_ exchange: HTTPExchange) -> Resume {
        exchange.query.flatMap { UInt64($0) }.map { .after(version: $0) } ?? .fresh
    }

    func workAfterTurn() -> (@Sendable () -> Void)? { nil }

    func response(for failure: TransportFailure) -> HTTPResponse {
        let status =
            switch failure {
            case .malformed: 400
            case .headersTooLarge, .tooManyFields: 431
            case .uriTooLong: 414
            case .versionNotSupported: 505
            case .bodyTooLarge: 413
            case .timeout: 408
            case .connectionLimit, .connectionLimitPerAddress, .bodiesLimit, .bodiesLimitPerClient,
                .stopping:
                503
            }
        return HTTPResponse(status: status, body: .bytes(Array("\(failure)".utf8)))
    }
}

extension Array {
    fileprivate mutating func takeAll() -> [Element] {
        defer { self = [] }
        return self
    }
}
