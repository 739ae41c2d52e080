import StoreCore
import StorePatterns
import StoreTesting
import Testing

/// The reducer of the root state, which is called after the reducer of each action's module.
@Suite struct RootReducerTests {
    private struct Lamp: StartableModule {
        struct State: ModuleState { var isOn = false }
        enum Action: ModuleAction { case switched, broken }

        func begin(_ start: NoFields) -> State { State() }
        func reduce(_ state: inout State, _ action: Action) { state.isOn.toggle() }
    }

    private struct House: RootState {
        var lamps = PerSession<Instances<Lamp.State>>()
        var switched = PerSession(0)
        var total = 0
        var ends: [String] = []
        var sessions = Sessions.State()

        static let modules: Modules = [
            Lamp().at(\.lamps), .field("switched", \.switched), .field("total", \.total),
            .field("ends", \.ends), Sessions().at(\.sessions),
        ]
        static let dispatchables: Dispatchables = [Repaired.self]
        static let reducer: RootReducer<House>? = { state, action in
            if let addressed = action as? AddressedAction {
                if case Lamp.Action.broken? = addressed.action as? Lamp.Action {
                    state.total = -1
                    throw Refusal(reason: "No lamp breaks here.")
                }
                state.total += 1
                state.switched.value += 1
            }
            if action is Repaired || action is Unlisted { state.total += 100 }
            if case Sessions.Internal.ended(let session)? = action as? Sessions.Internal {
                state.switched[session] += 1
                state.ends.append(session)
            }
        }
    }

    private struct Repaired: StateUpdater {
        func updateState(_ state: inout House) { state.total = 0 }
    }

    private struct Unlisted: Action {}

    private let core: Core<House>
    private let edited = EditedModules(hasOwnedSlices: true)

    init() throws {
        var configuration = CoreConfiguration<House>()
        configuration.editedModules = [edited]
        core = try Core(
            House(),
            runner: EffectRunner(dependencies: .unprepared),
            configuration: configuration
        )
        for name in ["ada", "bob"] { core.dispatch(Sessions.Internal.began(session: name)) }
        _ = (edited.takeModuleIndices(), edited.takeReaders())
    }

    private func send(_ action: any Action, as session: String?) throws -> (House?, Outcome) {
        let answers = Answers()
        try core.engine.offer(
            Envelope(
                members: [EnvelopeMember(action: action, type: "")],
                returnsState: true,
                session: session,
                completion: answers
            )
        )
        let outcome = try #require(answers.all.values.first)
        guard case .applied(_, _, _, let state) = outcome else { return (nil, outcome) }
        return (state?.value as? House, outcome)
    }

    @Test func `the root reducer changes the state after the module in the same version`() throws {
        _ = try send(Lamp.start.to("7"), as: "ada")
        let (state, outcome) = try send(Lamp.Action.switched.to("7"), as: "ada")
        let house = try #require(state)
        #expect(house.lamps["ada"]["7"]?.isOn == true)
        #expect((house.total, house.switched["ada"], house.switched["bob"]) == (2, 2, 0))
        guard case .applied(4, 4, true, _) = outcome else { throw NotApplied() }
        #expect(edited.takeModuleIndices() == [0, 1, 2])
        // The action works on a slice of the session, but the change also concerns all clients.
        #expect(edited.takeReaders() == .everybody)
    }

    @Test func `a refusal of the root reducer drops the module's change, too`() throws {
        _ = try send(Lamp.start.to("7"), as: "ada")
        _ = try send(Lamp.Action.broken.to("7"), as: "ada")
        let house = try #require(try send(Repaired(), as: nil).0)
        #expect(house.lamps["ada"]["7"]?.isOn == false)
        #expect(house.total == 100)
    }

    @Test func `the root reducer gets actions that no module has`() throws {
        #expect(try send(Unlisted(), as: "bob").0?.total == 100)
    }

    @Test func `a session that ends keeps no slice that the root reducer writes`() throws {
        _ = try send(Lamp.start.to("7"), as: "ada")
        let ended = Sessions.Internal.ended(session: "ada")
        let house = try #require(try send(ended, as: "ada").0)
        #expect(house.ends == ["ada"])
        #expect((house.switched.sessions, house.lamps.sessions) == ([], []))
    }

    @Test func `a replay calls the root reducer with the same sessions`() throws {
        let machine = try ModuleMachine<House>()
        var replayed = House()
        let actions: [(any Action, String?)] = [
            (Sessions.Internal.began(session: "ada"), nil), (Lamp.start.to("7"), "ada"),
            (Lamp.Action.switched.to("7"), "ada"), (Repaired(), "ada"),
        ]
        for (index, (action, session)) in actions.enumerated() {
            try machine.replayReducer(
                &replayed,
                action,
                session,
                ReducerContextSource(version: UInt64(index))
            )
        }
        #expect((replayed.total, replayed.switched["ada"]) == (100, 2))
    }

    @Test func `an action without a module or root reducer costs no comparison`() throws {
        let machine = try ModuleMachine<Tent>()
        #expect(machine.route(of: Unlisted()) == nil)
        #expect(machine.route(of: Sessions.Internal.began(session: "a")) != nil)
    }

    private struct Tent: RootState {
        var sessions = Sessions.State()
        static let modules: Modules = [Sessions().at(\.sessions)]
    }

    private struct NotApplied: Error {}
}

/// Root states whose declarations don't fit together
@Suite struct RootDeclarationTests {
    private struct Work: SideEffect {
        func sideEffect(_ context: EffectContext<Orders.State>) async throws {}
    }

    private struct Foreign: RootState {
        var title = ""
        static let modules: Modules = [.field("title", \.title)]
        static let dispatchables: Dispatchables = [Checkout.self]
    }

    private struct Twice: RootState {
        var title = ""
        static let modules: Modules = [.field("title", \.title)]
        static let dispatchables: Dispatchables = [Named.self, Named.self]
    }

    private struct Named: StateUpdater {
        func updateState(_ state: inout Twice) {}
    }

    private struct Clashing: RootState {
        var title = ""
        var orders = Orders.State()
        static let modules: Modules = [.field("orders", \.title), Orders().at(\.orders)]
    }

    private struct Forgotten: RootState {
        var title = ""
        var more = 1
        static let modules: Modules = [.field("title", \.title)]
    }

    @Test func `an updater is of this root state`() {
        let foreign = ModuleError.foreignRootDispatchable("Checkout", root: "Foreign")
        #expect(throws: foreign) { try Core(Foreign()) }
        #expect(throws: ModuleError.rootActionTwice("Named")) { try Core(Twice()) }
        #expect(foreign.description.hasSuffix("a StateUpdater whose State is Foreign"))
    }

    @Test func `a field has a name of its own, and every member has one`() {
        #expect(throws: ModuleError.nameTwice("orders")) { try Core(Clashing()) }
        #expect(throws: ModuleError.foreignMember(found: ["more"], modules: ["title"])) {
            try Core(Forgotten())
        }
    }

    @Test func `starts with the store are declared in the order of the modules`() {
        #expect(
            Market.startActions.map { "\(type(of: $0))" } == [
                "ModuleStart<Stall>", "ModuleStart<Tab>",
            ]
        )
        #expect(Market.sessionStartActions.map { "\(type(of: $0))" } == ["ModuleStart<Tab>"])
    }

    @Test func `a test states the changes of actions of the whole state`() async {
        var state = Market()
        state.cart[Sessions.shared].items = ["pear"]
        Given(state).when(Checkout()) {
            $0.cart.value.items = []
            $0.orders.placed = ["pear"]
            $0.cart.value.placed = $0.cart.value.placed
        }
        Given(Market()).when(Checkout(), refused: "The cart is empty.")
        let store = TestStore(Market())
        await store.send(Changed(what: .title)) { $0.title = "Bazaar" }
        await store.finish()
    }
}
