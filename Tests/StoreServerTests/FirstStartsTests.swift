import StoreAdmission
import StoreCore
import StoreHTTPTransport
import StorePatterns
import StorePlatform
import StoreTelemetry
import StoreTesting
import Synchronization
import Testing

@testable import StoreHTTP
@testable import StoreHistory
@testable import StoreServer

/// Modules that start with the store: they start once, even if several servers begin the history.
@Suite struct FirstStartsTests {
    private struct Lamp: StartableModule {
        struct State: ModuleState { var color = "" }
        struct Start: Codable, Equatable, Sendable { var color = "white" }

        func begin(_ start: Start) -> State { State(color: start.color) }
    }

    private struct Door: StartableModule {
        struct State: ModuleState { var opened = 0 }

        func begin(_ start: NoFields) -> State {
            State()
        }
    }

    private struct House: RootState {
        var lamp: Lamp.State?
        var door: Door.State?
        var sessions = Sessions.State()

        static let modules: Modules = [
            Door().started.at(\.door), Lamp().started(with: .init(color: "red")).at(\.lamp),
            Sessions().at(\.sessions),
        ]
    }

    private struct DoorPresenter: Presenter {
        func stateDidUpdate(
            from old: Door.State?,
            to new: Door.State?,
            _ context: PresenterContext
        ) {}
    }

    private struct Cottage: RootState {
        var lamp: Lamp.State?
        var door: Door.State?
        var sessions = Sessions.State()

        static let modules: Modules = [
            Door().started.at(\.door).presented(by: DoorPresenter()),
            Lamp().started(with: .init(color: "red")).at(\.lamp).presented(),
            Sessions().at(\.sessions),
        ]
    }

    @Test func `a module that starts with the store may have a presenter`() {
        for module in Cottage.modules.dropLast() {
            #expect(module.automaticStart != nil)
            #expect(module.presenterNames.count == 1)
        }
    }

    private func assembled(_ journal: any Journal) throws -> StoreAssembly<House> {
        var configuration = ServerConfiguration()
        configuration.analytics.destination = .off
        configuration.history.ephemeral = true
        let transport = try HTTPServer(
            configuration: configuration.transport,
            handler: StartGate(HostRule(listening: [], additional: [])),
            startThread: { SystemThread.start(name: $0, $1) },
            log: { _ in }
        )
        let process = try ServerProcess(configuration, on: transport, .standardError)
        let server = Server(House.self).journal(journal)
        return try StoreAssembly(
            StoreContext(server, configuration, in: process, World(server.dependencies, .system))
        )
    }

    private func begin(_ journal: any Journal) throws {
        let store = try assembled(journal)
        defer { store.core.stop() }
        store.core.start()
        try store.startModules()
    }

    private func types(_ journal: any Journal) throws -> [String] {
        try journal.tail(from: 0).map(\.type)
    }

    private let starts = ["door/start", "lamp/start"]

    @Test func `only a store without a history starts its modules, in order`() throws {
        let journal = MemoryJournal()
        for _ in 0..<3 { try begin(journal) }
        #expect(try types(journal) == starts)
    }

    @Test func `several servers of a history start the modules once`() throws {
        for _ in 0..<8 {
            let journals = MemoryJournal()
            let others = (0..<3).map { _ in journals.makeJournalOfSameHistory() }
            // All servers have found no history before the first of them starts a module.
            let stores = try ([journals] + others).map(assembled)
            for store in stores { store.core.start() }
            let ended = Recorder<String>()
            let done = (0..<stores.count).map { _ in Latch() }
            for (store, latch) in zip(stores, done) {
                SystemThread.start(name: "begin") {
                    do {
                        try store.startModules()
                        ended.record("")
                    } catch { ended.record("\(error)") }
                    latch.open()
                }
            }
            for latch in done { #expect(latch.wait(seconds: 60)) }
            for store in stores { store.core.stop() }
            #expect(ended.values == Array(repeating: "", count: stores.count))
            #expect(try types(journals) == starts)
        }
    }

    @Test func `if one start is not durable, none is, and the next start tries again`() throws {
        let journal = FaultyJournal()
        let store = try assembled(journal)
        store.core.start()
        journal.setFailure(.storageFull)
        let error = #expect(throws: FirstStartError.self) {
            try store.startModules()
        }
        store.core.stop()
        #expect(error?.description.hasPrefix("the store can't begin: there is no room") == true)
        #expect(try types(journal) == [])
        journal.setFailure(nil)
        try begin(journal)
        #expect(try types(journal) == starts)
    }
}
