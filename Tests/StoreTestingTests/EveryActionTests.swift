import StoreCore
import StorePatterns
import StoreTesting
import Testing

/// A module with every kind of action.
private struct Machine: StartableModule {
    struct State: ModuleState {
        var runs = 0
        var mode = ""
    }

    enum Action: String, ModuleAction {
        case oiled, cleaned
    }

    enum UI: ModuleAction {
        case pressed(button: Int)
    }

    enum Internal: ModuleAction {
        case worn(by: Int)
    }

    static let dispatchables: [any Dispatchable.Type] = [SetMode.self]

    func begin(_ start: NoFields) -> State { State() }
    func reduce(_ state: inout State, _ action: Action) { state.runs += 1 }
    func reduce(_ state: inout State, ui action: UI) { state.runs += 1 }
    func reduce(_ state: inout State, internal action: Internal) { state.runs += 1 }
}

private struct SetMode: StateUpdater {
    let mode: String
    func updateState(_ state: inout Machine.State) { state.mode = mode }
}

private struct Plant: RootState {
    var machines = Instances<Machine.State>()
    static let modules: Modules = [Machine().at(\.machines)]

    /// A plant with one running machine.
    static var running: Plant {
        var plant = Plant()
        plant.machines["a"] = Machine.State()
        return plant
    }
}

@Suite(.everyAction(of: AppState.self, except: ["search/typed"]))
struct CompleteSuiteTests {
    @Test func `a given action counts`() {
        Given(Tally(), Tally.State()).when(.increased) { $0.count = 1 }
        Given(Tally(), Tally.State()).when(
            .stepChanged(to: 0),
            refused: "A step of 0 leads nowhere."
        )
        Given(Search(), Search.State()).when(.found(titles: []))
    }

    @Suite struct Within {
        @Test func `an action that is sent or received counts, also in a suite within`() async {
            let store = TestStore(AppState(), dependencies: .controlled(seed: 7))
            await store.send(Search.Action.closed)
            await store.send(Search.Action.lotteryPlayed)
            await store.receive(Search.Internal.self) {
                $0.search.token = "87 \(CountedUUIDs.uuid(1))"
            }
            await store.send(Page.start(.init(title: "A"))) { $0.page = Page.State(title: "A") }
            await store.send(Page.Action.liked) { $0.page?.likes = 1 }
            await store.send(Page.stop) { $0.page = nil }
            await store.send(Pages.start(.init(title: "A")).to("a")) {
                $0.pages["a"] = Page.State(title: "A")
            }
            await store.send(Pages.Action.likedLater.to("a"))
            await store.receive(Pages.Action.liked.to("a")) { $0.pages["a"]?.likes = 1 }
            await store.send(Pages.stop.to("a")) { $0.pages["a"] = nil }
            await store.finish()
        }
    }
}

@Suite struct EveryActionTests {
    private let failures = Failures()

    private func run(
        except: [String] = [],
        _ body: @escaping @Sendable () -> Void
    ) async throws -> [String] {
        let trait = EveryActionTrait.everyAction(
            of: Plant.self,
            except: except,
            reporter: failures.reporter
        )
        let test = try #require(Test.current)
        try await trait.provideScope(for: test, testCase: nil) { body() }
        return failures.take()
    }

    @Test func `every action without a test is named, of each kind`() async throws {
        #expect(
            try await run {} == [
                """
                Actions without a test: machine/start, machine/stop, machine/oiled, machine/cleaned, \
                machine/pressed, machine/worn, machine/SetMode

                Send or receive each in a TestStore, or write Given(…).when(…).
                """
            ]
        )
    }

    @Test func `a tested action is not named`() async throws {
        let failed = try await run(except: ["machine/worn"]) {
            Given(Plant()).when(Machine.start.to("a")) { $0.machines["a"] = Machine.State() }
            Given(Plant.running).when(Machine.stop.to("a")) { $0.machines["a"] = nil }
            Given(Plant.running).when(Machine.Action.oiled.to("a")) { $0.machines["a"]?.runs = 1 }
            Given(Machine(), Machine.State()).when(.pressed(button: 1)) { $0.runs = 1 }
            Given(Plant.running).when(SetMode(mode: "x").to("a")) { $0.machines["a"]?.mode = "x" }
        }
        #expect(
            failed == [
                """
                Actions without a test: machine/cleaned

                Send or receive each in a TestStore, or write Given(…).when(…).
                """
            ]
        )
    }

    @Test func `an unknown exception is named`() async throws {
        let failed = try await run(except: ["machine/oiled", "machine/gone"]) {
            Given(Plant.running).when(Machine.Action.oiled.to("a")) { $0.machines["a"]?.runs = 1 }
        }
        #expect(
            failed.last == """
                Exceptions without need: machine/oiled, machine/gone

                They have a test, or don't exist; take them out of `except`.
                """
        )
    }

    @Test func `a state that a server refuses fails the tests`() async throws {
        Given(Numbered(), Numbered.State(), reporter: failures.reporter).when(.one)
        #expect(failures.take().count == 1)
        Given(NumberedState(), reporter: failures.reporter).when(Numbered.Action.one)
        _ = TestStore(NumberedState(), reporter: failures.reporter)
        _ = TestStore(Numbered(), Numbered.State(), reporter: failures.reporter)
        let trait = EveryActionTrait.everyAction(
            of: NumberedState.self,
            except: ["numbered/*"],
            reporter: failures.reporter
        )
        try await trait.provideScope(for: #require(Test.current), testCase: nil) {}
        let said = failures.take()
        #expect(said.count == 4)
        #expect(said.allSatisfy { $0.contains("are written as numbers") }, "\(said)")
    }

    @Test func `a whole name has no module in front, and the server's rules hold`()
        async throws
    {
        let trait = EveryActionTrait.everyAction(
            of: AgedState.self,
            except: [],
            reporter: failures.reporter
        )
        try await trait.provideScope(for: #require(Test.current), testCase: nil) {
            Given(Aged(), Aged.State()).when(.lowered(by: 1))
        }
        let missing = failures.take()
        #expect(missing.count == 1)
        #expect(missing[0].hasPrefix("Actions without a test: RaiseRequested, Oiled\n"))
        Given(AgedFleet(), reporter: failures.reporter).when(Aged.Action.raised.to("a"))
        let many = failures.take()
        #expect(many.count == 1 && many[0].contains("an action of an instance needs"), "\(many)")
        Given(Pressed(), Pressed.State(), reporter: failures.reporter).when(Pressed.UI.pressed)
        let shown = failures.take()
        #expect(shown.count == 1 && shown[0].contains("of a module's views"), "\(shown)")
    }

    @Test func `a reducer that fails is no reducer that refuses`() {
        let given = Given(Brittle(), Brittle.State(), reporter: failures.reporter)
        given.when(.bent)
        given.when(.bent, refused: "The reducer failed; the server's log has the reason.")
        let said = failures.take()
        #expect(said.count == 2)
        #expect(said.allSatisfy { $0.contains("made the reducer fail: Snapped()") }, "\(said)")
    }
}

private struct Numbered: Module {
    struct State: ModuleState { var value = 0 }
    enum Action: Int, ModuleAction { case one, two }
    func reduce(_ state: inout State, _ action: Action) {}
}

private struct NumberedState: RootState {
    var numbered = Numbered.State()
    static let modules: Modules = [Numbered().at(\.numbered)]
}

private struct Aged: StartableModule {
    struct State: ModuleState { var value = 0 }
    enum Action: ModuleAction {
        case raised
        case lowered(by: Int)

        enum CodingKeys: String, CodingKey {
            case raised = "/RaiseRequested"
            case lowered = "/LowerRequested"
        }
    }
    enum Internal: String, ModuleAction { case oiled = "/Oiled" }
    func begin(_ start: NoFields) -> State { State() }
    func reduce(_ state: inout State, _ action: Action) {}
    func reduce(_ state: inout State, internal action: Internal) {}
}

private struct AgedState: RootState {
    var aged = Aged.State()
    static let modules: Modules = [Aged().at(\.aged)]
}

private struct AgedFleet: RootState {
    var aged = Instances<Aged.State>()
    static let modules: Modules = [Aged().at(\.aged)]
}

private struct Pressed: Module {
    struct State: ModuleState { var value = 0 }
    enum UI: String, ModuleAction { case pressed = "/Pressed" }
    func reduce(_ state: inout State, ui action: UI) {}
}

private struct Snapped: Error {}

private struct Brittle: Module {
    struct State: ModuleState { var value = 0 }
    enum Action: ModuleAction { case bent }
    func reduce(_ state: inout State, _ action: Action) throws { throw Snapped() }
}
