import Glibc
import StoreCore
import StoreJournalSQLite
import StoreTelemetry
import Testing

@testable import StoreActionCatalog
@testable import StoreHTTP
@testable import StoreHistory
@testable import StoreJSON
@testable import StorePublishing
@testable import StoreServer

/// The replay of a start while the journal is opened.
@Suite struct OpeningReplayTests {
    private struct Added: Action, Codable {
        var count: Int?
    }

    private struct Counter: Codable, Equatable {
        var count = 0
    }

    private struct Named: Codable, Equatable {
        var count = 0
        var name: String?
    }

    private static let recordsCount = 2_500
    private let path = "/tmp/store-server-opening-\(getpid())-\(UInt64.random(in: 0 ... .max))"

    private var configuration: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.history.directory = path
        return configuration
    }

    private func server<State>(
        _ state: State,
        _ add: @escaping @Sendable (inout State, Int) throws -> Void
    ) -> Server<State> {
        Server(state: state, actions: [Added.self]) { state, action in
            try add(&state, (action as? Added)?.count ?? 1)
        }
    }

    private static func record(_ version: UInt64, type: String = "Added") -> Record {
        Record(
            version: version,
            time: 0,
            type: type,
            payload: Array((version.isMultiple(of: 10) ? #"{"count":5}"# : "{}").utf8),
            changed: true
        )
    }

    /// Begins a history and appends records to it.
    private func fill(_ records: [Record]) throws {
        let opened = try OpenJournal(configuration, follower: nil, .standardError)
        defer { opened.close() }
        let server = server(Counter()) { $0.count += $1 }
        _ = try history(of: server, opened, nil)
        try opened.journal.append(JournalBatch(records: records), at: 0)
    }

    private func history<State>(
        of server: Server<State>,
        _ opened: OpenJournal,
        _ replay: OpeningReplay<State>?
    ) throws -> RecoveredHistory<State> {
        try RecoveredHistory(
            of: server.program,
            in: opened.journal,
            registry: ActionRegistry(server.actions),
            encoder: .init(),
            replayed: replay?.replayedState,
            logger: .standardError
        )
    }

    /// Returns the state that was made while the journal was opened, and the first state of the
    /// store.
    private func start<State>(_ server: Server<State>) throws -> (State?, State) {
        let replay = try OpeningReplay(of: server.program, ActionRegistry(server.actions))
        let opened = try OpenJournal(configuration, follower: replay, .standardError)
        defer { opened.close() }
        let history = try history(of: server, opened, replay)
        return (replay.replayedState.stateAtVersion(opened.journal.version), history.state)
    }

    private func remove() {
        for name in ["lock", "mark", "store.db", "store.db-wal", "store.db-shm"] {
            unlink("\(path)/\(name)")
        }
        rmdir(path)
    }

    @Test func `the state is made while the journal is opened`() throws {
        defer { remove() }
        try fill((1...UInt64(Self.recordsCount)).map { Self.record($0) })
        let (made, state) = try start(server(Counter()) { $0.count += $1 })
        #expect(made?.count == Self.recordsCount / 10 * 14)
        #expect(state == made)
    }

    @Test func `a state of another form is made when the journal is open`() throws {
        defer { remove() }
        try fill((1...UInt64(Self.recordsCount)).map { Self.record($0) })
        let (made, state) = try start(server(Named()) { $0.count += $1 })
        #expect(made == nil)
        #expect(state.count == Self.recordsCount / 10 * 14)
    }

    @Test func `records that can't be read are all named when the journal is open`() throws {
        defer { remove() }
        try fill([
            Self.record(1), Self.record(2, type: "Gone"), Self.record(3),
            Self.record(4, type: "Lost"),
        ])
        let error = try #require(throws: RecoveryError.self) {
            try start(server(Counter()) { $0.count += $1 })
        }
        #expect(error.description.contains("Gone (first at version 2: no action has this name)"))
        #expect(error.description.contains("Lost (first at version 4: no action has this name)"))
    }

    @Test func `a reducer that refuses today is named with the version`() throws {
        defer { remove() }
        try fill((1...20).map { Self.record($0) })
        let error = try #require(throws: RecoveryError.self) {
            try start(
                server(Counter()) {
                    if $1 == 5 { throw Refusal(reason: "no fives") }
                    $0.count += $1
                }
            )
        }
        #expect(error.description.contains("version 10"))
        #expect(error.description.contains("no fives"))
    }
}
