import Foundation
import StoreCore
import StorePatterns
import StorePlatform
import StoreTesting
import Testing
import XCTest

/// The samples of the library's comments, line by line. Here the compiler checks them.
enum InComments {
    struct Counter: Module {
        struct State: ModuleState {
            var count = 0
            var step = 1
        }

        enum Action: ModuleAction {
            case increased
            case stepChanged(to: Int)
        }

        static let dispatchables: [any Dispatchable.Type] = [Multiply.self, Wait.self]

        func reduce(_ state: inout State, _ action: Action) throws {
            switch action {
            case .increased: state.count += state.step
            case .stepChanged(0): throw Refusal(reason: "A step of 0 leads nowhere.")
            case .stepChanged(let step): state.step = step
            }
        }
    }

    struct Multiply: SideEffect {
        let a: Int
        let b: Int

        func sideEffect(_ context: EffectContext<Counter.State>) async throws -> Int { a * b }
    }

    struct Wait: SideEffect {
        let seconds: Int

        func sideEffect(_ context: EffectContext<Counter.State>) async throws {
            try await context.sleep(for: .seconds(seconds))
        }
    }

    struct Home: StartableModule, EffectfulModule {
        struct State: ModuleState {
            var titles: [String]
            var isBusy = false
        }

        enum Action: ModuleAction {
            case refreshed
        }

        enum Internal: ModuleAction {
            case loaded(titles: [String])

            var isLoaded: Bool { true }
        }

        func begin(_ start: NoFields) -> State { State(titles: []) }

        func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
            switch action {
            case .loaded(let titles): state = State(titles: titles)
            }
            return .none
        }

        func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
            state.isBusy = true
            return .run { context in
                try await context.sleep(for: .seconds(1))
                try await context.dispatch(Internal.loaded(titles: ["Fresh"]))
            }
        }
    }

    struct Credentials: Codable {
        let userName: String
        let password: String
    }

    struct Login: Module {
        struct State: ModuleState {
            var progress = Progress.idle
        }

        enum Progress: String, ModuleState {
            case idle, loading
        }

        enum Internal: ModuleAction {
            case loading
        }

        var useCases: [UseCaseMethod<State>] {
            [
                UseCaseMethod("login", "login") { (_: Credentials, context) in
                    try await context.dispatch(Internal.loading)
                }
            ]
        }

        func reduce(_ state: inout State, internal action: Internal) { state.progress = .loading }
    }

    struct AppState: RootState {
        var counter = Counter.State()
        var home: Home.State?
        var login = Login.State()

        static let modules: Modules = [
            Counter().at(\.counter),
            Home().at(\.home),
            Login().at(\.login),
        ]
    }

    @Suite struct Tests {
        @Test func `a store is tested by the sample`() async {
            let clock = ManualClock()
            let store = TestStore(AppState(), dependencies: .controlled(by: clock))
            await store.send(Home.start) { $0.home = Home.State(titles: []) }
            await store.send(Home.Action.refreshed) { $0.home?.isBusy = true }
            await clock.advance(by: .seconds(1))
            await store.receive(Home.Internal.loaded(titles: ["Fresh"])) {
                $0.home = Home.State(titles: ["Fresh"])
            }
            await store.finish()
        }

        @Test func `a clock and a received type are tested by the sample`() async {
            let clock = ManualClock()
            let store = TestStore(
                Home(),
                Home.State(titles: []),
                dependencies: .controlled(by: clock)
            )
            await store.send(.refreshed) { $0.isBusy = true }
            await clock.advance(by: .seconds(1))
            await store.receive(Home.Internal.self, where: \.isLoaded) {
                $0 = Home.State(titles: ["Fresh"])
            }
            await store.finish()
        }

        @Test func `a side effect is tested by the sample`() async throws {
            let store = TestStore(AppState())
            #expect(try await store.value(of: Multiply(a: 6, b: 7)) == 42)
        }

        @Test func `a use case is tested by the sample`() async {
            let store = TestStore(AppState())
            await store.call("login", "login", Credentials(userName: "demo", password: "demo"))
            await store.receive(Login.Internal.loading) { $0.login.progress = .loading }
            await store.finish()
        }

        @Test func `a notification is tested by the sample`() async {
            struct AppState: RootState {
                var stock = ReactionTests.Stock.State()
                static let modules: Modules = [ReactionTests.Stock().at(\.stock)]
            }
            typealias StockLevel = ReactionTests.StockLevel
            typealias StockChanged = ReactionTests.StockChanged
            let store = TestStore(AppState())
            store.add(
                reaction: .onNotification("stock", as: StockLevel.self) {
                    StockChanged(level: $0.level)
                }
            )
            await store.notify("stock", StockLevel(level: 3))
            await store.receive(StockChanged(level: 3)) { $0.stock.level = 3 }
        }

        @Test func `a single action is tested by the sample`() {
            Given(Counter(), Counter.State(step: 2)).when(.increased) { $0.count = 2 }
            Given(Counter(), Counter.State()).when(
                .stepChanged(to: 0),
                refused: "A step of 0 leads nowhere."
            )
        }

        @Test func `a world is made by the sample`() throws {
            var dependencies = Dependencies.unprepared
            dependencies.set(RandomKey.self, to: SeededRandom(seed: 7).next)
            dependencies.set(UUIDKey.self, to: CountedUUIDs().next)
            #expect(try dependencies.uuid() == CountedUUIDs.uuid(1))
        }

        @Test func `a recorder is used by the sample`() async throws {
            let core = try Core(AppState())
            let states = Recorder<AppState>()
            core.observe(with: states.record)
            try await core.apply(Counter.Action.increased)
            #expect(try await states.next().counter.count == 0)
            #expect(try await states.next().counter.count == 1)
        }

        @Test func `a reporter is made by the sample`() {
            let reporter = TestReporter { text, place in
                XCTFail(text, file: #filePath, line: UInt(place.line))
            }
            Given(AppState(), reporter: reporter).when(Counter.Action.increased) {
                $0.counter.count = 1
            }
        }
    }

    enum Alone {
        struct Counter: Module {
            struct State: ModuleState { var count = 0 }
            enum Action: ModuleAction { case increased }
            func reduce(_ state: inout State, _ action: Action) { state.count += 1 }
        }

        struct AppState: RootState {
            var counter = Counter.State()
            static let modules: Modules = [Counter().at(\.counter)]
        }

        @Suite(.everyAction(of: AppState.self)) struct AppTests {
            @Test func `increasing adds the step`() {
                Given(AppState()).when(Counter.Action.increased) { $0.counter.count = 1 }
            }
        }
    }
}

@Suite struct OwnJournalTests {
    typealias MyJournal = MemoryJournal

    @Test(arguments: JournalPromise.allCases)
    func `my journal keeps its promises`(promise: JournalPromise) {
        let subject = JournalSubject(make: { MyJournal() })
        #expect(JournalConformance.faults(of: subject, in: promise).isEmpty)
    }
}

@Suite struct CommentTests {
    private static let here = URL(filePath: #filePath)
    private static let sources = here.deletingLastPathComponent().appending(
        path: "../../Sources/StoreTesting"
    )

    /// Returns code without line breaks and indentation, which depend on its place in a file.
    private func plain(_ code: some Sequence<Substring>) -> String {
        code.joined().filter { !$0.isWhitespace }
    }

    /// Returns the samples in the comments of a file.
    private func samples(_ file: URL) throws -> [String] {
        var samples: [String] = []
        var open: [Substring]?
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("/// ```") {
                if let code = open { samples.append(plain(code)) }
                open = open == nil && line == "/// ```swift" ? [] : nil
            } else {
                open?.append(line.dropFirst(3))
            }
        }
        return samples
    }

    @Test func `every sample of a comment stands in this file`() throws {
        let own = try String(contentsOf: Self.here, encoding: .utf8)
        let compiled = plain(own.split(separator: "\n"))
        let files = FileManager.default.enumerator(
            at: Self.sources,
            includingPropertiesForKeys: nil
        )
        var count = 0
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            for sample in try samples(file) {
                count += 1
                let isCompiled = compiled.contains(sample)
                #expect(isCompiled, "\(file.lastPathComponent): \(sample)")
            }
        }
        #expect(count >= 8)
    }
}
