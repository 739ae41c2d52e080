import StoreTraces
import Testing

@testable import StoreCurl

@Suite(.timeLimit(.minutes(1))) struct TraceTests {
    private let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func `a request hands on the trace of its task, unless it has its own`() async throws {
        let server = try ScriptedServer { request in
            let trace = request.headers["traceparent"] ?? "none"
            return .last("HTTP/1.1 200 OK\r\nContent-Length: \(trace.utf8.count)\r\n\r\n\(trace)")
        }
        defer { server.close() }
        let client = CurlClient()
        func answer(_ headers: HTTPHeaders = [:]) async throws -> String {
            let response = try await client.response(to: .get(server.url("/"), headers: headers))
            return String(decoding: response.body, as: UTF8.self)
        }
        #expect(try await answer() == "none")
        let handed = try await SpanContext.$currentTraceparent.withValue(parent) {
            try await answer()
        }
        #expect(handed == parent)
        let own = try await SpanContext.$currentTraceparent.withValue(parent) {
            try await answer(["Traceparent": "own"])
        }
        #expect(own == "own")
    }
}
