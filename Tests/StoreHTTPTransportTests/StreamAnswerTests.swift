import StoreWire
import Synchronization
import Testing

@testable import StoreHTTPTransport

/// The places of streams whose client leaves before the socket is handed over.
struct StreamAnswerTests {
    private let server: HTTPServer
    private let first: StreamWriter
    private let second: StreamWriter
    private let ends = Ends()

    /// The number of ended streams.
    private final class Ends: Sendable {
        let count = Atomic(0)
    }

    init() throws {
        server = try HTTPServer(
            configuration: TransportConfiguration(addresses: []),
            handler: EchoHandler(),
            startThread: startThread,
            log: { _ in }
        )
        first = try StreamWriter(limits: StreamLimits(), frames: .lines)
        second = try StreamWriter(limits: StreamLimits(), frames: .lines)
        #expect(first.reservePlace(.state))
        #expect(second.reservePlace(.state))
    }

    private var beginning: StreamBeginning {
        var owner = StreamOwner()
        owner.onEnd = { [ends] in ends.count.add(1, ordering: .relaxed) }
        return .test(owner: owner)
    }

    @Test func `the writer that the answer names has its place back`() {
        let exchange = HTTPExchange(loop: server.loop)
        exchange.completeAsStream(beginning, to: second)
        server.loop.endRequest(exchange, isAnswered: false)
        #expect(first.openStreamCount == 1)
        #expect(second.openStreamCount == 0)
        #expect(ends.count.load(ordering: .relaxed) == 1)
    }

    @Test func `a stream for a client that has left while it was made ends at once`() {
        let exchange = HTTPExchange(loop: server.loop)
        exchange.waitState = .clientLeft
        exchange.completeAsStream(beginning, to: first)
        server.loop.resumeFinished()
        #expect(first.openStreamCount == 0)
        #expect(second.openStreamCount == 1)
        #expect(ends.count.load(ordering: .relaxed) == 1)
    }
}
