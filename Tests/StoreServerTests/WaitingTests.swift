import Dispatch
import StoreCore
import StoreCurl
import StorePlatform
import Synchronization
import Testing

@testable import StoreCommandLine
@testable import StoreServer

/// Clients that wait for the effects of an action (protocol 2.6 and 2.11), in a store without
/// modules.
@Suite struct WaitingTests {
    private struct Sum: Codable, Equatable, Sendable { var value = 0 }
    private struct Added: Action, Codable { let amount: Int }

    private func send(
        _ method: HTTPRequest.Method,
        _ target: String,
        prefer: String,
        body: String = "",
        to server: RunningServer
    ) throws -> HTTPResponse {
        let client = try #require(CommandClient(server.addresses.joined()))
        return try client.exchange(
            method,
            target,
            headers: ["Content-Type": "application/json", "Prefer": prefer],
            body: Array(body.utf8),
            seconds: 30
        )
    }

    @Test func `an answer waits for observers on queues in a store without modules, too`() throws {
        var configuration = ServerConfiguration()
        configuration.http.listen = ["127.0.0.1:0"]
        configuration.history.ephemeral = true
        let gate = Latch()
        let seen = Locked(0)
        let server = try Server(
            state: Sum(),
            actions: [Added.self],
            reducer: { (sum: inout Sum, action: any Action) in
                if let added = action as? Added { sum.value += added.amount }
            }
        ).observer(on: DispatchQueue(label: "observer")) { sum in
            guard sum.value > 0 else { return }
            _ = gate.wait()
            seen.withLock { $0 = sum.value }
        }.start(configuration)
        defer { server.stop() }
        let body = #"{"type":"Added","payload":{"amount":3}}"#
        let pending = try send(.post, "/dispatch", prefer: "wait=0", body: body, to: server)
        #expect(pending.status == 202)
        #expect(String(decoding: pending.body, as: UTF8.self).contains(#""completed":false"#))
        #expect(try send(.get, "/dispatch/1", prefer: "wait=0", to: server).status == 202)
        #expect(seen.withLock { $0 } == 0)
        gate.open()
        #expect(try send(.get, "/dispatch/1", prefer: "wait=20", to: server).status == 200)
        #expect(seen.withLock { $0 } == 3)
        let done = try send(.post, "/dispatch", prefer: "wait=20", body: body, to: server)
        #expect(done.status == 200)
        #expect(seen.withLock { $0 } == 6)
    }
}
