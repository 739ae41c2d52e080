import DefaultStore
import StoreCore
import StorePatterns
import StorePlatform
import Synchronization
import Testing

@testable import StoreCommandLine
@testable import StoreHTTP
@testable import StoreServer

@Suite struct AssertTests {
    private struct Step: Decodable, Sendable {
        let step: Int
    }

    /// Plays a script against a listening server with reactions; returns the printed lines.
    private func play(_ script: String) throws -> [String] {
        let server = Server(AppState.self).reactions(
            .onNotification("step", as: Step.self) {
                Counter.Action.stepChangeRequested(step: $0.step)
            },
            .onDispatch(of: Counter.Action.self) { action, _, _ in
                action == .increaseRequested ? nil : Counter.Action.increaseRequested
            }
        )
        var configuration = ServerConfiguration()
        configuration.http.listen = ["127.0.0.1:0"]
        configuration.history.ephemeral = true
        configuration.analytics.destination = .off
        let running = try server.start(configuration)
        defer { running.stop() }
        let client = try #require(running.addresses.first.flatMap { CommandClient($0) })
        let printed = Locked<[String]>([])
        var run = AssertRun(
            script: try AssertScript(parsing: Array(script.utf8)),
            client: StoreClient(http: client, .init())
        ) { line in printed.withLock { $0.append(line) } }
        _ = try run.play()
        return printed.withLock { $0 }
    }

    @Test func `a notification is stated with all that follows it`() throws {
        let script = """
            {"steps": [{
                "notify": "step", "payload": {"step": 7},
                "expect": {"/counter": {"counter": 7, "step": 7}},
                "receive": ["StepChangeRequested", "CounterIncreaseRequested"]
            }]}
            """
        #expect(try play(script) == ["ok     1 notify step", "the script: 1 of 1 steps hold"])
    }

    @Test func `an action of a reaction must be stated`() throws {
        let script = """
            {"steps": [{
                "dispatch": {"type": "StepChangeRequested", "payload": {"step": 7}},
                "expect": {"/counter": {"counter": 7, "step": 7}}
            }]}
            """
        #expect(try play(script).contains("+   0: \"CounterIncreaseRequested\""))
    }
}
