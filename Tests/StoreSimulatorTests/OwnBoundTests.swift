import StoreCore
import Testing

@testable import StoreSimulator

/// The bound on actions of the program itself. Clients reach this bound while the Core does not
/// run.
@Suite struct OwnBoundTests {
    private let recorder = Recorder()
    private let clock = ManualClock()

    private func server() throws -> SimulatedServer<Workshop> {
        try SimulatedServer(
            WorkshopProgram.server(recorder, isIntercepted: false),
            on: SimulatedJournal(MemoryJournal()),
            clock,
            WorkshopProgram.dependencies(clock),
            recorder
        )
    }

    @Test(
        arguments: [
            ("POST", "/notify/bell", #"{"note":"a"}"#),
            ("POST", "/usecases/jobs/work", #"{"note":"a","password":"b","seconds":1}"#),
            ("GET", "/modules/desk/events", ""),
        ]
    )
    func `a full mailbox of the program refuses use cases, notifications and streams`(
        method: String,
        target: String,
        body: String
    ) throws {
        let server = try server()
        while server.turnCore() {}
        server.fillOwnMailbox(with: Desk.Internal.told(note: "full"))
        let exchange = try server.send(method, target, body: Array(body.utf8))
        server.collect()
        guard case .response(let status, let bytes)? = exchange.answer else {
            Issue.record("\(target) is not answered: \(exchange.answer as Any)")
            return
        }
        #expect(status == 503)
        #expect(Bytewise(bytes).contains(Bytewise("/problems/overloaded")))
    }

    @Test func `actions of clients are taken beside a full mailbox of the program`() throws {
        let server = try server()
        while server.turnCore() {}
        server.fillOwnMailbox(with: Desk.Internal.told(note: "full"))
        let body = Array(#"{"type":"shelf/reset"}"#.utf8)
        let exchange = try server.send("POST", "/dispatch", body: body)
        while server.turnCore() {}
        server.collect()
        guard case .response(200, _)? = exchange.answer else {
            Issue.record("not applied: \(exchange.answer as Any)")
            return
        }
    }
}
