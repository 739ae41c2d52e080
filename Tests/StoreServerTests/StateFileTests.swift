import Glibc
import StoreCore
import StoreJSON
import StoreTelemetry
import Testing

@testable import StoreActionCatalog
@testable import StoreHTTP
@testable import StoreHistory
@testable import StorePublishing
@testable import StoreServer

@Suite struct StateFileTests {
    private struct Added: Action, Codable {}

    private struct Then: Codable, Equatable {
        var count = 0
    }

    /// The same state after an update of the program, with another first value.
    private struct Now: Codable, Equatable {
        var count = 100
        var name: String?
    }

    private struct Other: Codable, Equatable {
        var count = ""
    }

    private func server<State>(
        _ state: State,
        _ add: @escaping @Sendable (inout State) -> Void
    ) -> Server<State> {
        Server(state: state, actions: [Added.self]) { (state: inout State, _) in add(&state) }
    }

    private func history<State>(
        of server: Server<State>,
        in journal: any Journal,
        beginningWith file: StateFile<State>? = nil
    ) throws -> RecoveredHistory<State> {
        try RecoveredHistory(
            of: server.program,
            in: journal,
            registry: ActionRegistry(server.actions),
            encoder: JSONEncoder(),
            beginningWith: file,
            logger: .standardError
        )
    }

    /// A journal that began with a count of 40, and has one action.
    private func journal() throws -> MemoryJournal {
        let path = "/tmp/store-server-state-\(getpid())-\(UInt64.random(in: 0 ... .max)).json"
        let file = try #require(fopen(path, "we"))
        fputs(#"{"count":40}"#, file)
        fclose(file)
        defer { unlink(path) }
        let journal = MemoryJournal()
        _ = try history(
            of: server(Then()) { $0.count += 1 },
            in: journal,
            beginningWith: StateFile(path: path, fillSharedValues: { _ in })
        )
        let record = Record(
            version: 1,
            time: 0,
            type: "Added",
            payload: Array("{}".utf8),
            changed: true
        )
        try journal.append(JournalBatch(records: [record]), at: 0)
        return journal
    }

    @Test func `a history begins with its first state, in another form, too`() throws {
        let journal = try journal()
        #expect(try history(of: server(Then()) { $0.count += 1 }, in: journal).state.count == 41)
        #expect(try history(of: server(Now()) { $0.count += 1 }, in: journal).state.count == 41)
    }

    @Test func `a form that can't read the first state is reported`() throws {
        let journal = try journal()
        let error = try #require(throws: RecoveryError.self) {
            try history(of: server(Other()) { $0.count += "x" }, in: journal)
        }
        #expect(error.description.contains("history began with the state of a file"))
        #expect(error.description.contains("/count"))
    }
}
