import DefaultStore
import Glibc
import StoreCore
import StorePlatform
import StoreTesting
import StoreWire
import Synchronization
import Testing

@testable import StoreActionCatalog
@testable import StoreCommandLine
@testable import StoreHTTP
@testable import StoreHTTPTransport
@testable import StoreHistory
@testable import StoreJSON
@testable import StorePublishing
@testable import StoreServer

/// Servers on a journal of the program's own.
@Suite struct ProgramJournalTests {
    private var program: Server<AppState> { Server(AppState.self) }
    private let increase = Array(#"{"type":"CounterIncreaseRequested"}"#.utf8)

    private func dispatch(_ body: [UInt8], to server: InProcessServer) throws -> HTTPResponse {
        try server.answer(
            "POST",
            "/dispatch",
            headers: [("Content-Type", "application/json")],
            body: body
        )
    }

    @Test func `a server goes on from the journal's records`() throws {
        let journal = MemoryJournal()
        #expect(try dispatch(increase, to: InProcessServer(program.journal(journal))).status == 200)
        #expect(journal.version == 1)
        let again = try InProcessServer(program.journal(journal))
        #expect(try again.answer("GET", "/state/counter").text == #"{"counter":1,"step":1}"#)
        #expect(again.store.reader.epoch.rawValue == journal.epoch)
    }

    @Test func `readers of a server get the actions that another server has applied`() throws {
        let journal = MemoryJournal()
        let one = try InProcessServer(program.journal(journal))
        let other = try InProcessServer(program.journal(journal.makeJournalOfSameHistory()))
        #expect(try dispatch(increase, to: one).status == 200)
        let shown = try other.answer("GET", "/state/counter?after=0&wait=10")
        #expect(shown.text == #"{"counter":1,"step":1}"#)
        // The second server's own action follows the first action, at both servers.
        #expect(try dispatch(increase, to: other).status == 200)
        let last = try one.answer("GET", "/state/counter?after=1&wait=10")
        #expect(last.text == #"{"counter":2,"step":1}"#)
        let log = try other.answer("GET", "/actions").text
        #expect(log.contains(#""version":1"#) && log.contains(#""version":2"#))
    }

    @Test(
        arguments: [
            (["--data", "./data"], "data"), (["--data", "elsewhere"], "data"),
            (["--ephemeral"], "ephemeral"), (["--accept-data-loss"], "accept-data-loss"),
            (["--history-max", "100000"], "history-max"), (["--retain-age", "5"], "retain-age"),
            (["--retain-size", "5"], "retain-size"), (["--clock", "test"], "clock"),
        ]
    )
    func `flags about other journals are refused`(arguments: [String], name: String) throws {
        let reader = try ConfigurationReader<ServerConfiguration>(
            arguments: arguments,
            environment: [:],
            readFile: { _ in nil }
        )
        let error = #expect(throws: ConfigurationError.self) {
            try program.journal(MemoryJournal()).checkJournals(
                reader.configuration,
                given: reader.givenNames
            )
        }
        #expect(error?.description.hasPrefix("--\(name): ") == true)
    }

    @Test func `flags about other things are accepted`() throws {
        let reader = try ConfigurationReader<ServerConfiguration>(
            arguments: ["--snapshot-every", "5", "--state-file", "first.json"],
            environment: ["STORE_SERVER_LISTEN": "127.0.0.1:0"],
            readFile: { _ in nil }
        )
        try program.journal(MemoryJournal()).checkJournals(
            reader.configuration,
            given: reader.givenNames
        )
    }

    @Test func `a start refuses flags about other journals, too`() throws {
        var configuration = ServerConfiguration()
        configuration.history.ephemeral = true
        #expect(throws: ConfigurationError.self) {
            try program.journal(MemoryJournal()).start(configuration)
        }
    }

    @Test func `a server closes only the journals that it has opened`() throws {
        let journal = ClosingJournal()
        var configuration = ServerConfiguration()
        configuration.http.listen = ["127.0.0.1:0"]
        configuration.analytics.destination = .off
        try program.journal(journal).start(configuration).stop()
        #expect(journal.closings == 0)
        try program.journal({ journal }).start(configuration).stop()
        #expect(journal.closings == 1)
    }

    @Test func `a journal that can't be opened ends the start, in its own words`() throws {
        var configuration = ServerConfiguration()
        configuration.http.listen = ["127.0.0.1:0"]
        let error = #expect(throws: JournalError.self) {
            try program.journal({ throw JournalError.unknown("nobody is there") })
                .start(configuration)
        }
        #expect(error?.description == "nobody is there")
    }

    @Test func `actions are exported from the journal and imported into it`() throws {
        let full = MemoryJournal()
        _ = try dispatch(increase, to: InProcessServer(program.journal(full)))
        let file = "/tmp/given-\(UInt64.random(in: .min ... .max)).jsonl"
        defer { unlink(file) }
        let configuration = ServerConfiguration()
        let server = program.journal(full)
        let export = try HistoryCommand("export", file: file)
        #expect(
            try server.run(export, configuration) == "\(file) has the actions of versions 1 to 1\n"
        )
        let empty = MemoryJournal()
        let imported = try HistoryCommand("import", file: file)
        let said = try program.journal(empty).run(imported, configuration)
        #expect(said == "the program's own journal has 1 actions\n")
        #expect(try empty.tail(from: 0) == full.tail(from: 0))
        #expect(throws: CommandFailure.self) {
            try program.journal(empty).run(imported, configuration)
        }
    }

    @Test func `a program's own journal is replayed by verify, and has no backup`() throws {
        let journal = MemoryJournal()
        _ = try dispatch(increase, to: InProcessServer(program.journal(journal)))
        let server = program.journal(journal)
        let verified = try server.run(HistoryCommand("verify", file: nil), ServerConfiguration())
        #expect(verified.contains("1 actions replayed"))
        let error = #expect(throws: CommandFailure.self) {
            try server.run(HistoryCommand("backup", file: "/tmp/none"), ServerConfiguration())
        }
        #expect(error?.description.contains("has a journal of its own") == true)
    }
}

/// Counts its closings.
private final class ClosingJournal: Journal {
    private let inner = MemoryJournal()
    private let count = Atomic(0)

    var closings: Int { count.load(ordering: .relaxed) }

    func close() { count.add(1, ordering: .relaxed) }

    var epoch: UInt32 { inner.epoch }
    var version: UInt64 { inner.version }
    var oldestVersion: UInt64 { inner.oldestVersion }
    var canFail: Bool { false }
    var oldestSnapshotVersion: UInt64? { inner.oldestSnapshotVersion }
    var newestSnapshotVersion: UInt64? { inner.newestSnapshotVersion }
    func append(_ batch: JournalBatch, at expected: UInt64) throws(JournalError) {
        try inner.append(batch, at: expected)
    }
    func read(_ page: JournalPageRequest) throws(JournalError) -> JournalRecords {
        try inner.read(page)
    }
    func outcomes(
        of keys: [IdempotencyKey]
    ) throws(JournalError) -> [IdempotencyKey: KeptOutcome] {
        try inner.outcomes(of: keys)
    }
    func register(_ program: ProgramDescription) throws(JournalError) -> UInt32 {
        try inner.register(program)
    }
    func programs() throws(JournalError) -> [RegisteredProgram] { try inner.programs() }
    func save(_ snapshot: StateSnapshot) throws(JournalError) { try inner.save(snapshot) }
    func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot? {
        try inner.snapshot(atOrBefore: version)
    }
}
