import StoreCore
import StoreCurl
import StorePatterns
import StoreTesting
import Synchronization
import Testing

@testable import StoreCommandLine
@testable import StoreServer

/// The lines about failed requests that only the operator may read. The lines go to the log that
/// the program has given to its server.
@Suite struct OperatorLinesTests {
    private struct Unlucky: Error {}

    /// A number whose own code fails to read 13 and to write 66.
    private struct Number: Codable, Equatable, Sendable {
        var value = 0

        init() {}

        init(from decoder: any Decoder) throws {
            value = try decoder.singleValueContainer().decode(Int.self)
            if value == 13 { throw Unlucky() }
        }

        func encode(to encoder: any Encoder) throws {
            if value == 66 { throw Unlucky() }
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    private struct Noted: Action, Codable {
        let number: Number
    }

    private struct Kept: Action, Codable {
        let value: Int
    }

    private struct Page: RootState {
        var numbers = Numbers.State()
        static let modules: Modules = [Numbers().at(\.numbers)]
        static let views: Views = [AskedViewModel.self]
    }

    private struct Numbers: Module {
        struct State: ModuleState {
            var last = Number()
        }

        enum Action: ModuleAction {
            case kept(value: Int)
        }

        func reduce(_ state: inout State, _ action: Action) {
            switch action {
            case .kept(let value): state.last.value = value
            }
        }
    }

    private struct AskedViewModel: ParameterizedViewModel {
        struct Parameters: Codable, Sendable {
            let number: Number
        }

        static let name = "asked"

        let number: Number

        init?(state: Page, parameters: Parameters) {
            number = parameters.number
        }
    }

    /// A journal in memory that can be closed to readers.
    private final class ClosedJournal: Journal {
        private let memory = MemoryJournal()
        let isClosed = Atomic(false)

        var version: UInt64 { memory.version }
        var oldestVersion: UInt64 { memory.oldestVersion }
        var canFail: Bool { true }
        var epoch: UInt32 { memory.epoch }
        var oldestSnapshotVersion: UInt64? { memory.oldestSnapshotVersion }
        var newestSnapshotVersion: UInt64? { memory.newestSnapshotVersion }

        func append(_ batch: JournalBatch, at expected: UInt64) throws(JournalError) {
            try memory.append(batch, at: expected)
        }

        func read(_ page: JournalPageRequest) throws(JournalError) -> JournalRecords {
            if isClosed.load(ordering: .relaxed) { throw .corrupt("a page is torn") }
            return try memory.read(page)
        }

        func outcomes(
            of keys: [IdempotencyKey]
        ) throws(JournalError) -> [IdempotencyKey: KeptOutcome] {
            try memory.outcomes(of: keys)
        }

        func register(_ program: ProgramDescription) throws(JournalError) -> UInt32 {
            try memory.register(program)
        }

        func programs() throws(JournalError) -> [RegisteredProgram] { try memory.programs() }

        func save(_ snapshot: StateSnapshot) throws(JournalError) {
            try memory.save(snapshot)
        }

        func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot? {
            try memory.snapshot(atOrBefore: version)
        }
    }

    struct Post: Sendable, CustomTestStringConvertible {
        let path: String
        let body: String
        /// The error that the operator gets.
        let line: String

        var testDescription: String { path }
    }

    private static let noted = #"{"type":"Noted","payload":{"number":13}}"#
    private static let kept = #"{"type":"Kept","payload":{"value":1}}"#

    private var configuration: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.http.listen = ["127.0.0.1:0"]
        configuration.history.ephemeral = true
        configuration.http.debugRoutes = true
        return configuration
    }

    private var plain: Server<Number> {
        Server(state: Number(), actions: [Noted.self, Kept.self]) {
            (number: inout Number, action: any Action) in
            if let kept = action as? Kept { number.value = kept.value }
        }
        .reactions(.onNotification("noted", as: Noted.self) { $0 })
        .command(Command<Noted> { _ in }, as: "note")
    }

    /// Starts the server, sends each request, and returns the first written line.
    private func line<State>(
        of server: Server<State>,
        _ configuration: ServerConfiguration? = nil,
        after requests: [(method: String, target: String, body: String?)],
        before last: () -> Void = {}
    ) async throws -> (entry: LogEntry, status: Int) {
        let log = Recorder<LogEntry>()
        let running = try server.log { log.record($0) }
            .start(configuration ?? self.configuration)
        defer { running.stop() }
        let client = try #require(CommandClient(running.addresses.joined()))
        var status = 0
        for (index, request) in requests.enumerated() {
            if index == requests.count - 1 { last() }
            let answer = try client.exchange(
                HTTPRequest.Method(rawValue: request.method),
                request.target,
                headers: ["Content-Type": "application/json"],
                body: Array((request.body ?? "").utf8),
                seconds: 30
            )
            status = answer.status
        }
        return (try await log.next(within: .seconds(10)), status)
    }

    @Test(arguments: [
        Post(
            path: "/dispatch",
            body: noted,
            line: "the type's own decoding code refused '/payload' of Noted: Unlucky()"
        ),
        Post(
            path: "/notify/noted",
            body: #"{"number":13}"#,
            line: "the type's own decoding code refused the body of notify/noted: Unlucky()"
        ),
        Post(
            path: "/debug/commands/note",
            body: #"{"number":13}"#,
            line: "the type's own decoding code refused the body of debug/commands/note: Unlucky()"
        ),
    ])
    func `a line has the error of a type's own code`(_ post: Post) async throws {
        let (entry, status) = try await line(of: plain, after: [("POST", post.path, post.body)])
        #expect(status == 422)
        #expect(entry.level == .error)
        #expect(entry.message == post.line)
    }

    @Test func `the line of another store has that store's name`() async throws {
        let server = plain.store(plain, named: "books")
        let (entry, status) = try await line(
            of: server,
            after: [("POST", "/stores/books/dispatch", Self.noted)]
        )
        #expect(status == 422)
        #expect(entry.store == "books")
        #expect(entry.message.hasPrefix("the type's own decoding code refused "))
        #expect(entry.description.hasPrefix("books: the type's own decoding code refused "))
    }

    @Test func `a line explains a state without a JSON form`() async throws {
        let body = #"{"type":"Kept","payload":{"value":66}}"#
        let (entry, status) = try await line(of: plain, after: [("POST", "/dispatch", body)])
        #expect(status == 409)
        #expect(entry.level == .error)
        #expect(entry.message == "a state has no JSON form: Unlucky()")
    }

    @Test(arguments: [
        ("/actions", "the log can't be read after version 0: "),
        ("/trace?version=1", "the log can't be read around version 1: "),
        ("/state?version=1", "the journal can't be read"),
    ])
    func `a line explains an unreadable past`(_ target: String, _ beginning: String) async throws {
        let journal = ClosedJournal()
        var configuration = configuration
        configuration.history.ephemeral = false
        let (entry, status) = try await line(
            of: plain.journal(journal),
            configuration,
            after: [
                ("POST", "/dispatch", Self.kept), ("POST", "/dispatch", Self.kept),
                ("GET", target, nil),
            ]
        ) {
            journal.isClosed.store(true, ordering: .relaxed)
        }
        #expect(status == 503)
        #expect(entry.level == .error)
        #expect(entry.message.hasPrefix(beginning), "\(entry.message)")
    }

    @Test(arguments: [
        (
            13, 400, LogEntry.Level.error,
            "the type's own decoding code refused the parameters of the view asked (number): "
                + "Unlucky"
        ),
        (66, 500, .error, "the view asked can't be made: "),
    ])
    func `a line explains an unexpected view`(
        _ number: Int,
        _ expected: Int,
        _ level: LogEntry.Level,
        _ beginning: String
    ) async throws {
        let (entry, status) = try await line(
            of: Server(Page.self),
            after: [("GET", "/views/asked?number=\(number)", nil)]
        )
        #expect(status == expected)
        #expect(entry.level == level && entry.message.hasPrefix(beginning), "\(entry.message)")
        // Parameters may be secret.
        #expect(!entry.description.contains("\(number)"))
    }

    @Test func `a line explains a failed view`() async throws {
        let body = #"{"type":"numbers/kept","payload":{"value":13}}"#
        let (entry, status) = try await line(
            of: Server(Page.self),
            after: [("POST", "/dispatch", body), ("GET", "/views/asked?number=1", nil)]
        )
        #expect(status == 500)
        #expect(entry.level == .error)
        #expect(entry.message.hasPrefix("the view asked can't be made: "), "\(entry.message)")
    }
}
