import DefaultStore
import StoreCore
import StoreHTTPTransport
import StorePatterns
import StoreServer
import Testing

@Suite struct NotifyTests {
    private struct Step: Decodable, Sendable {
        let step: Int
    }

    private let json = [(name: "Content-Type", value: "application/json")]

    private func server() throws -> InProcessServer {
        try InProcessServer(
            Server(AppState.self).reactions(
                .onNotification("step", as: Step.self) {
                    Counter.Action.stepChangeRequested(step: $0.step)
                }
            )
        )
    }

    @Test func `a notification is answered when its reactions were called`() throws {
        let answer = try server().answer(
            "POST",
            "/notify/step",
            headers: json,
            body: Array(#"{"step":7}"#.utf8)
        )
        #expect(answer.status == 202)
    }

    @Test func `a waiting client is answered after all effects and reactions`() throws {
        let server = try server()
        // Each notification makes two versions: its record, and the program's action.
        for version in stride(from: 2, through: 100, by: 2) {
            let answer = try server.answer(
                "POST",
                "/notify/step",
                headers: json + [("Prefer", "wait=10")],
                body: Array(#"{"step":7}"#.utf8)
            )
            #expect(answer.status == 200)
            let state = try server.answer("GET", "/state")
            #expect(state.headers.contains { $0.1 == "\"\(server.epoch):\(version)\"" })
        }
    }
}
