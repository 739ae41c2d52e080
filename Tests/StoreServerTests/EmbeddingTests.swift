import DefaultStore
import StoreCore
import StoreCurl
import StorePlatform
import StoreTelemetry
import StoreTesting
import Synchronization
import Testing

@testable import StoreCommandLine
@testable import StoreHTTPTransport
@testable import StoreJSON
@testable import StoreServer

/// Servers in another program's process.
@Suite struct EmbeddingTests {
    private let increase = Array(#"{"type":"CounterIncreaseRequested"}"#.utf8)
    private let broken = JournalError.unknown("the disk is gone")

    private var configuration: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.http.listen = ["127.0.0.1:0"]
        return configuration
    }

    private func dispatch(to server: InProcessServer) throws -> StoreHTTPTransport.HTTPResponse {
        try server.answer(
            "POST",
            "/dispatch",
            headers: [("Content-Type", "application/json")],
            body: increase
        )
    }

    private func dispatch(to server: RunningServer) throws -> StoreCurl.HTTPResponse {
        let client = try #require(CommandClient(server.addresses.joined()))
        return try client.exchange(
            .post,
            "/dispatch",
            headers: ["Content-Type": "application/json"],
            body: increase,
            seconds: 30
        )
    }

    @Test func `a failed journal ends no process: reads are served, nothing is applied`()
        throws
    {
        let journal = FaultyJournal()
        let server = try InProcessServer(Server(AppState.self).journal(journal))
        #expect(try dispatch(to: server).status == 200)
        journal.setFailure(broken)
        #expect(throws: InProcessServer.Unanswered.self) { try dispatch(to: server) }
        // The server refuses actions even when the disk works again, because the result of the
        // failed append is unknown.
        journal.setFailure(nil)
        let refused = try dispatch(to: server)
        #expect(refused.status == 503)
        #expect(refused.text.contains(#""type":"/problems/draining""#))
        #expect(refused.text.contains("The journal has failed, "))
        let shown = try server.answer("GET", "/state/counter")
        #expect(shown.text == #"{"counter":1,"step":1}"#)
        #expect(try server.answer("GET", "/livez").status == 200)
        let ready = try server.answer("GET", "/readyz")
        #expect(ready.status == 503 && ready.text.contains("The journal has failed, "))
        #expect(journal.version == 1)
    }

    @Test func `a full disk is no failure of the journal`() throws {
        let journal = FaultyJournal()
        let server = try InProcessServer(Server(AppState.self).journal(journal))
        journal.setFailure(.storageFull)
        #expect(try dispatch(to: server).status == 507)
        #expect(try server.answer("GET", "/readyz").status == 200)
        journal.setFailure(nil)
        #expect(try dispatch(to: server).status == 200)
    }

    @Test func `the program decides about a failed journal, and may stop the server`()
        async throws
    {
        let journal = FaultyJournal()
        let running = Locked<RunningServer?>(nil)
        let outcomes = Recorder<StopOutcome?>()
        let errors = Recorder<JournalError>()
        let server = try Server(AppState.self)
            .journal(journal)
            .log { _ in }
            .journalFailureHandler { error in
                errors.record(error)
                outcomes.record(running.withLock { $0 }?.stop())
            }
            .start(configuration)
        running.withLock { $0 = server }
        #expect(try dispatch(to: server).status == 200)
        #expect(server.journalFailure == nil)
        journal.setFailure(broken)
        #expect(throws: CommandClientError.self) { try dispatch(to: server) }
        #expect(try await outcomes.next() == .clean)
        #expect(server.journalFailure == broken)
        #expect(errors.values == [broken])
        // A new server continues the history in the journal.
        journal.setFailure(nil)
        let next = try Server(AppState.self).journal(journal).start(configuration)
        #expect(try dispatch(to: next).status == 200)
        next.stop()
        #expect(journal.version == 2)
    }

    @Test func `two threads that stop a server get one outcome`() async throws {
        let server = try Server(AppState.self)
            .journal(MemoryJournal())
            .log { _ in }
            .start(configuration)
        let outcomes = Recorder<StopOutcome>()
        for _ in 0..<2 {
            SystemThread.start(name: "stops") { outcomes.record(server.stop()) }
        }
        for _ in 0..<2 { #expect(try await outcomes.next(within: .seconds(10)) == .clean) }
        #expect(server.stop() == .clean)
    }

    @Test func `a failed journal is decided on before any request is answered`() throws {
        let order = Recorder<String>()
        let condition = JournalCondition(.standardError, .atOnce { _ in order.record("decided") })
        condition.handleFailure(broken)
        order.record("returned")
        condition.handleFailure(broken)
        #expect(order.values == ["decided", "returned"])
    }

    @Test func `servers of one process have logs and histories of their own`() async throws {
        let logs = [Recorder<LogEntry>(), Recorder<LogEntry>()]
        let servers = try logs.map { log in
            try Server(AppState.self)
                .journal(MemoryJournal())
                .preparation { _ in }
                .log { log.record($0) }
                .start(configuration)
        }
        #expect(try dispatch(to: servers[0]).body != [])
        #expect(try dispatch(to: servers[0]).body != dispatch(to: servers[1]).body)
        #expect(servers.map { $0.stop() } == [.clean, .clean])
        for (log, server) in zip(logs, servers) {
            let address = server.addresses.joined()
            let entry = try await log.next()
            #expect(entry.message == "preparing; requests to \(address) wait meanwhile")
            #expect(entry.level == .notice && log.values.count == 1)
        }
    }
}
