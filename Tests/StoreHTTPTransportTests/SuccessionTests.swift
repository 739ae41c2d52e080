import Glibc
import StorePlatform
import StoreTestSupport
import Synchronization
import Testing

@testable import StoreHTTPTransport

/// A handler that takes over from another handler while requests come in.
@Suite(.serialized) struct SuccessionTests {
    /// Holds every request until another handler takes over.
    private final class Holding: HTTPHandler {
        let held = Locked<[HTTPExchange]>([])
        let echo = EchoHandler()

        func admit(_ request: HTTPExchange) -> HTTPResponse? { nil }

        func handle(_ exchange: HTTPExchange) {
            exchange.suspend()
            held.withLock { $0.append(exchange) }
        }

        func workAfterTurn() -> (@Sendable () -> Void)? { nil }

        func response(for failure: TransportFailure) -> HTTPResponse { echo.response(for: failure) }

        func letGo() {
            for exchange in held.withLock({ $0 }) { exchange.handleAgain() }
        }
    }

    private let holding = Holding()
    private let server: HTTPServer
    private let port: UInt16

    init() throws {
        server = try HTTPServer(
            configuration: TransportConfiguration(
                addresses: [ListenAddress(endpoint: .inet(host: "127.0.0.1", port: 0))]
            ),
            handler: holding,
            startThread: startThread,
            log: { _ in }
        )
        try server.start()
        guard case .inet(_, let port) = server.boundAddresses[0].endpoint else {
            throw TransportError("there is no port")
        }
        self.port = port
    }

    private func handOver() {
        server.replaceHandler(with: holding.echo) { [holding, weak server] in
            holding.letGo()
            server?.wake()
        }
    }

    private func post(_ path: String, _ body: String) -> String {
        "POST \(path) HTTP/1.1\r\nHost: h\r\nX-Test: t\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private func connection(sending text: String) throws -> RawConnection {
        let connection = try RawConnection(port: port)
        try connection.send(text)
        return connection
    }

    /// Returns when `count` requests are held. The test fails after a wait of 10 s.
    private func untilHeld(_ count: Int) {
        let end = ContinuousClock.now + .seconds(10)
        while holding.held.withLock({ $0.count }) < count, .now < end { sched_yield() }
        #expect(holding.held.withLock { $0.count } == count)
    }

    @Test func `the successor answers a held request with its headers and body`()
        throws
    {
        let early = try connection(sending: post("/a", "body") + post("/later", "second"))
        let refused = try connection(sending: post("/refused", "no"))
        let left = try connection(sending: post("/left", ""))
        untilHeld(3)
        left.reset()
        handOver()
        #expect(try early.response().body == "POST /a - h t body")
        #expect(try early.response().body == "second")
        // The successor reads the headers, too.
        #expect(try refused.response().status == 409)
        #expect(server.stop(withinSeconds: 5))
    }

    @Test func `the successor gets a request whose body comes later`() throws {
        let text = post("/refused", "body")
        let half = try connection(sending: String(text.dropLast()))
        let whole = try connection(sending: post("/b", ""))
        untilHeld(1)
        handOver()
        #expect(try whole.response().status == 200)
        try half.send(String(text.suffix(1)))
        #expect(try half.response().status == 409)
        #expect(server.stop(withinSeconds: 5))
    }
}
