import Synchronization
import Testing

@testable import StoreCurl

@Suite(.timeLimit(.minutes(1))) struct CancellationTests {
    let client = CurlClient()

    @Test func `a cancelled task ends its request, and the connection is closed`() async throws {
        let (asked, asking) = AsyncStream<Void>.makeStream()
        let server = try ScriptedServer { _ in
            asking.yield()
            return .silence
        }
        defer { server.close() }
        let task = Task { [client] in try await client.response(to: .get(server.url("/"))) }
        for await _ in asked { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for await _ in server.left { break }
    }

    @Test func `a task that is cancelled already sends nothing`() async throws {
        let server = try ScriptedServer { _ in .silence }
        defer { server.close() }
        let task = Task { [client] in
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await client.response(to: .get(server.url("/")))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.connections.load(ordering: .relaxed) == 0)
    }

    @Test func `cancelling at any moment ends a request`() async throws {
        let server = try ScriptedServer { _ in .silence }
        defer { server.close() }
        let cancelled = await withTaskGroup(of: Bool.self) { group in
            for turn in 0..<800 {
                group.addTask { [client] in
                    let task = Task { try await client.response(to: .get(server.url("/"))) }
                    for _ in 0..<(turn % 4) { await Task.yield() }
                    task.cancel()
                    guard case .failure(let error) = await task.result else { return false }
                    return error is CancellationError
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(cancelled == 800)
    }

    @Test func `a cancellation that comes before its request is not lost`() async throws {
        let server = try ScriptedServer { $0.target == "/" ? .silence : answer(200) }
        defer { server.close() }
        let loop = CurlLoop(authorities: nil)
        defer { loop.close() }
        func ask(_ path: String, _ ticket: CurlCancellation) async throws -> Int {
            try await withCheckedThrowingContinuation { continuation in
                let request = HTTPRequest.get(server.url(path), timeout: .seconds(10))
                loop.submit(CurlTransfer(request, ticket) { continuation.resume(with: $0) })
            }.status
        }
        let cancelled = CurlCancellation()
        loop.cancel(cancelled)
        // When another request is answered, the thread has already skipped the cancellation.
        #expect(try await ask("/other", CurlCancellation()) == 200)
        await #expect(throws: CancellationError.self) { try await ask("/", cancelled) }
    }

    @Test func `a thread that waits for a response gets it, or the error`() throws {
        let server = try ScriptedServer { $0.target == "/" ? answer(200, "here") : .silence }
        defer { server.close() }
        let response = try client.waitForResponse(to: .get(server.url("/")))
        #expect(response.status == 200 && response.body == Array("here".utf8))
        let error = #expect(throws: HTTPClientError.self) {
            try client.waitForResponse(
                to: .get(server.url("/silence"), timeout: .milliseconds(50))
            )
        }
        #expect(error?.code == .timeout)
    }

    @Test func `a request that asks for the end of its connection ends it`() async throws {
        let server = try ScriptedServer { _ in answer(200) }
        defer { server.close() }
        for _ in 0..<2 {
            let request = HTTPRequest.get(server.url("/"), headers: ["Connection": "close"])
            _ = try await client.response(to: request)
        }
        #expect(server.connections.load(ordering: .relaxed) == 2)
    }

    @Test func `connections are kept and bounded, and requests too`() async throws {
        let server = try ScriptedServer { _ in answer(200) }
        defer { server.close() }
        for _ in 0..<5 { _ = try await client.response(to: .get(server.url("/"))) }
        #expect(server.connections.load(ordering: .relaxed) == 1)

        let (asked, asking) = AsyncStream<Void>.makeStream()
        let silent = try ScriptedServer { _ in
            asking.yield()
            return .silence
        }
        defer { silent.close() }
        let (busy, connections) = await withTaskGroup(of: Bool.self) { group in
            for _ in 0...CurlClient.requestsMax {
                group.addTask { [client] in
                    do {
                        _ = try await client.response(to: .get(silent.url("/")))
                        return false
                    } catch { return (error as? HTTPClientError)?.code == .busy }
                }
            }
            let first = await group.next()
            var count = 0
            for await _ in asked {
                count += 1
                if count == CurlClient.connectionsPerHostMax { break }
            }
            // Cancellations free connections for requests whose own cancellation is still to come.
            let connections = silent.connections.load(ordering: .relaxed)
            group.cancelAll()
            let busy = await group.reduce(first == true ? 1 : 0) { $0 + ($1 ? 1 : 0) }
            return (busy, connections)
        }
        #expect(busy == 1)
        #expect(connections == CurlClient.connectionsPerHostMax)
    }

    @Test func `a client that goes lets its requests come to their end`() async throws {
        let server = try ScriptedServer { _ in answer(200, "here") }
        defer { server.close() }
        let response = try await CurlClient().response(to: .get(server.url("/")))
        #expect(response.status == 200)
    }
}
