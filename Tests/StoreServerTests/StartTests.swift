import StoreAdmission
import StoreCore
import StorePlatform
import StoreTesting
import Synchronization
import Testing

@testable import StoreActionCatalog
@testable import StoreHTTP
@testable import StoreHTTPTransport
@testable import StoreHistory
@testable import StorePublishing
@testable import StoreServer

@Suite struct StartTests {
    private enum First: DependencyKey {
        static let live = 0
    }

    private struct Trouble: Error {}

    // Preparing

    @Test func `preparations are done in order, each with the earlier values`() throws {
        let prepared = try DependencyPreparation().run(
            [
                { try $0.set(First.self, to: $0[First.self] + 1) },
                {
                    await Task.yield()
                    try $0.set(First.self, to: $0[First.self] * 10)
                },
            ],
            on: .live
        )
        #expect(try prepared[First.self] == 10)
    }

    @Test func `a preparation that throws ends the row`() throws {
        let reached = Recorder<Int>()
        let failure = #expect(throws: PreparationFailure.self) {
            try DependencyPreparation().run(
                [{ _ in throw Trouble() }, { _ in reached.record(1) }],
                on: .live
            )
        }
        #expect(failure?.cause is Trouble)
        #expect(failure?.description == "the dependencies could not be prepared: Trouble()")
        #expect(reached.values.isEmpty)
    }

    @Test func `a preparation that is given up is cancelled and no longer awaited`()
        async throws
    {
        let preparation = DependencyPreparation()
        let cancelled = Recorder<Bool>()
        #expect(throws: CancellationError.self) {
            try preparation.run(
                [
                    { _ in
                        preparation.cancel()
                        while !Task.isCancelled { await Task.yield() }
                        cancelled.record(Task.isCancelled)
                    }
                ],
                on: .live
            )
        }
        #expect(try await cancelled.next())
    }

    // The gate

    private func gate(
        needsCredentials: Bool = false
    ) throws -> (gate: StartGate, server: HTTPServer) {
        let gate = StartGate(
            HostRule(listening: [], additional: ["localhost"]),
            needsCredentials: needsCredentials
        )
        let server = try HTTPServer(
            configuration: ServerConfiguration().transport,
            handler: gate,
            startThread: { SystemThread.start(name: $0, $1) },
            log: { _ in }
        )
        gate.attach(server)
        return (gate, server)
    }

    private func exchange(of server: HTTPServer, bodyBytes: Int = 0) throws -> HTTPExchange {
        let exchange = HTTPExchange(loop: server.loop)
        try exchange.begin("POST", "/dispatch", RequestFraming())
        exchange.bodyBytes = [UInt8](repeating: 0, count: bodyBytes)
        return exchange
    }

    private func status(of exchange: HTTPExchange) -> Int? {
        guard case .response(let response) = exchange.outcome else { return nil }
        return response.status
    }

    @Test func `a gate queues no more requests than its bound`() throws {
        let (gate, server) = try gate()
        let queued = try (0..<StartGate.queuedRequestsMax).map { _ in try exchange(of: server) }
        for exchange in queued { gate.handle(exchange) }
        let last = try exchange(of: server)
        gate.handle(last)
        #expect(queued.allSatisfy { status(of: $0) == nil })
        #expect(status(of: last) == 503)
        gate.close()
        #expect(queued.allSatisfy { status(of: $0) == 503 })
    }

    @Test func `a gate queues no more bytes than its bound, and a client that leaves makes room`()
        throws
    {
        let (gate, server) = try gate()
        let large = try exchange(of: server, bodyBytes: StartGate.queuedBytesMax)
        let small = try exchange(of: server, bodyBytes: 1)
        gate.handle(large)
        gate.handle(small)
        #expect(status(of: large) == nil && status(of: small) == 503)
        large.onClientLeft?()
        #expect(status(of: large) == 503)
        let next = try exchange(of: server, bodyBytes: 1)
        gate.handle(next)
        #expect(status(of: next) == nil)
    }

    @Test func `a gate takes small bodies alone if credentials are needed`() throws {
        for (needsCredentials, expected) in [(false, [nil, nil]), (true, [nil, 503])] {
            let (gate, server) = try gate(needsCredentials: needsCredentials)
            let statuses = try [4 << 10, (4 << 10) + 1].map { length -> Int? in
                let exchange = HTTPExchange(loop: server.loop)
                try exchange.begin(
                    "POST",
                    "http://localhost/dispatch",
                    RequestFraming(contentLength: length)
                )
                return gate.admit(exchange)?.status
            }
            #expect(statuses == expected)
        }
    }

    @Test func `a closed gate queues nothing`() throws {
        let (gate, server) = try gate()
        gate.close()
        let exchange = try exchange(of: server)
        gate.handle(exchange)
        #expect(status(of: exchange) == 503)
    }
}
