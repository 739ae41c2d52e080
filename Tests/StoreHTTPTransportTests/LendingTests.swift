import Glibc
import StorePlatform
import StoreTestSupport
import Synchronization
import Testing

@testable import StoreHTTPTransport

/// The handler's own work between two turns of the loop.
@Suite(.serialized) struct LendingTests {
    /// Answers a request in the work that follows the turn. The work of `/slow` does not end before
    /// the gate is open.
    private final class Working: HTTPHandler {
        let gate = Latch()
        let slowCount = Atomic(0)
        private let waiting = Locked<[(exchange: HTTPExchange, path: String)]>([])
        private let echo = EchoHandler()
        private let server = Locked<HTTPServer?>(nil)

        func attach(_ server: HTTPServer) { self.server.withLock { $0 = server } }

        func admit(_ request: HTTPExchange) -> HTTPResponse? { nil }

        func handle(_ exchange: HTTPExchange) {
            if exchange.path == "/echo" { return echo.handle(exchange) }
            // The path is read now, because after a stop of the server the exchange has no path.
            let path = exchange.path
            exchange.park()
            waiting.withLock { $0.append((exchange, path)) }
        }

        func workAfterTurn() -> (@Sendable () -> Void)? {
            waiting.withLock { $0.isEmpty } ? nil : work
        }

        private var work: @Sendable () -> Void {
            { [self] in
                let exchanges = waiting.withLock { waiting in
                    defer { waiting = [] }
                    return waiting
                }
                for (exchange, path) in exchanges {
                    if path == "/slow" {
                        slowCount.add(1, ordering: .relaxed)
                        _ = gate.wait()
                    }
                    exchange.complete(
                        HTTPResponse(status: 200, body: .bytes(Array(path.utf8)))
                    )
                }
                server.withLock { $0 }?.wake()
            }
        }

        func response(for failure: TransportFailure) -> HTTPResponse { echo.response(for: failure) }
    }

    private let handler = Working()
    private let server: HTTPServer
    private let port: UInt16

    init() throws {
        server = try HTTPServer(
            configuration: TransportConfiguration(
                addresses: [ListenAddress(endpoint: .inet(host: "127.0.0.1", port: 0))]
            ),
            handler: handler,
            startThread: startThread,
            log: { _ in }
        )
        handler.attach(server)
        try server.start()
        guard case .inet(_, let port) = server.boundAddresses[0].endpoint else {
            throw TransportError("there is no port")
        }
        self.port = port
    }

    private func connection(to path: String) throws -> RawConnection {
        let connection = try RawConnection(port: port)
        try connection.send("GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
        return connection
    }

    @Test func `the loop's thread answers by the work after its turn`() throws {
        let kept = try connection(to: "/one")
        #expect(try kept.response().body == "/one")
        for _ in 0..<100 {
            try kept.send("GET /two HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try kept.response().body == "/two")
        }
        #expect(server.stop(withinSeconds: 5))
    }

    @Test func `another thread takes the loop over while the work takes long`() throws {
        for round in 1...3 {
            let slow = try connection(to: "/slow")
            wait("the work of /slow has begun") {
                handler.slowCount.load(ordering: .relaxed) == round
            }
            // The thread that took the loop over also lends the loop, and runs it afterwards.
            for _ in 0..<10 {
                #expect(try connection(to: "/echo").response().status == 200)
                #expect(try connection(to: "/one").response().body == "/one")
            }
            if round == 1 { handler.gate.open() }
            #expect(try slow.response().body == "/slow")
        }
        #expect(server.stop(withinSeconds: 5))
    }

    @Test func `a server stops while the work does not end`() throws {
        let slow = try connection(to: "/slow")
        wait("the work of /slow has begun") { handler.slowCount.load(ordering: .relaxed) == 1 }
        // When this request is answered, another thread runs the loop.
        #expect(try connection(to: "/echo").response().status == 200)
        #expect(!server.stop(withinSeconds: 0.2))
        handler.gate.open()
        _ = try? slow.response()
    }
}
