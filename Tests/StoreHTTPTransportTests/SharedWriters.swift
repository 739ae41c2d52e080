import Glibc
import StoreJSON
import StorePlatform
import StoreTestSupport
import StoreWire
import Synchronization
import Testing

@testable import StoreHTTPTransport

/// A transport with several stream writers on one thread: the path `/3` is a stream of writer 3.
final class SharedWriters: Sendable {
    let thread: StreamThread
    let server: HTTPServer
    private let handler = Handler()
    private let starter: Starter
    private let limits: StreamLimits
    private let places: StreamPlaces?

    /// Starts `count` writers on one thread of this name.
    init(
        _ count: Int,
        limits: StreamLimits? = nil,
        places: StreamPlaces? = nil,
        name: String = "shared streams"
    ) throws {
        var quiet = StreamLimits()
        // No heartbeat comes within a test.
        quiet.heartbeatSeconds = 3_600
        self.limits = limits ?? quiet
        self.places = places
        starter = Starter(name: name)
        thread = try StreamThread(starter.start)
        server = try HTTPServer(
            configuration: TransportConfiguration(
                addresses: [ListenAddress(endpoint: .inet(host: "127.0.0.1", port: 0))]
            ),
            handler: handler,
            startThread: startThread,
            log: { _ in }
        )
        for _ in 0..<count { try addWriter() }
        try server.start()
    }

    deinit {
        for writer in writers { _ = writer.stop(reason: .shutdown, seconds: 2) }
        thread.stop()
        _ = server.stop(withinSeconds: 5)
    }

    var writers: [StreamWriter] { handler.writers.withLock { $0 } }
    /// The number of started threads. All writers share one thread.
    var threads: Int { starter.count.load(ordering: .relaxed) }

    @discardableResult
    func addWriter() throws -> StreamWriter {
        let writer = try StreamWriter(limits: limits, frames: .lines, places: places)
        try writer.start(on: thread)
        handler.writers.withLock { $0.append(writer) }
        return writer
    }

    func connection(to number: Int) throws -> RawConnection {
        let connection = try RawConnection(port: port)
        try connection.send("GET /\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
        return connection
    }

    func reader(of number: Int) throws -> StreamReader {
        try StreamReader(port: port, "/\(number)", seconds: 30)
    }

    private var port: UInt16 {
        guard case .inet(_, let port) = server.boundAddresses[0].endpoint else { return 0 }
        return port
    }

    private final class Starter: Sendable {
        let count = Atomic(0)
        private let name: String

        init(name: String) {
            self.name = name
        }

        func start(_: String, _ body: @escaping @Sendable () -> Void) {
            count.add(1, ordering: .relaxed)
            SystemThread.start(name: name, body)
        }
    }

    private final class Handler: HTTPHandler {
        let writers = Locked<[StreamWriter]>([])
        private let echo = EchoHandler()

        func admit(_ request: HTTPExchange) -> HTTPResponse? { nil }

        func handle(_ exchange: HTTPExchange) {
            guard let number = Int(exchange.path.dropFirst()) else {
                return exchange.respond(HTTPResponse(status: 404))
            }
            let writer = writers.withLock { $0[number] }
            guard writer.reservePlace(.state) else {
                return exchange.respond(HTTPResponse(status: 503))
            }
            exchange.stream(.test(), to: writer)
        }

        func workAfterTurn() -> (@Sendable () -> Void)? { nil }

        func response(for failure: TransportFailure) -> HTTPResponse { echo.response(for: failure) }
    }
}

extension StreamFrames {
    /// Frames with a line each.
    static var lines: StreamFrames {
        StreamFrames(
            makeHeartbeat: { Bytes(utf8: "beat \($0)\n") },
            makeExpiring: { Bytes(utf8: "expiring \($0)\n") },
            makeBye: { Bytes(utf8: "bye \($0.rawValue)\n") }
        )
    }
}

extension StreamBeginning {
    /// The beginning of a stream of the state.
    static func test(
        in mode: StreamMode = .snapshot,
        _ resume: Resume = .fresh,
        owner: StreamOwner = StreamOwner(),
        first: TopicVersion? = nil
    ) -> StreamBeginning {
        let response = Bytes(utf8: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        return StreamBeginning(
            StreamHead(responseHead: response),
            topic: .state.inMode(mode),
            resume: resume,
            owner: owner,
            firstVersion: first
        )
    }
}

extension StreamWriter {
    /// Publishes a frame to the readers of a topic that pass a filter.
    func publish(
        topic: TopicID,
        version: UInt64,
        frame: Bytes,
        for filter: ReaderFilter? = nil
    ) {
        publish(TopicVersion(version, frame: frame), to: topic, for: filter)
    }
}

/// Returns the two ends of a connection.
func socketPair() throws -> (server: CInt, client: CInt) {
    var ends: [CInt] = [-1, -1]
    try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
}
