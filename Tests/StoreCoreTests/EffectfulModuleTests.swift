import StoreCore
import StorePlatform
import StoreTesting
import Synchronization
import Testing

/// A module with effects after actions of each kind, in one `switch` for each kind.
private struct Lift: StartableModule, EffectfulModule {
    struct State: ModuleState {
        var floor = 0
        var rides: [String] = []
    }

    enum Action: ModuleAction { case called(to: Int) }
    enum UI: ModuleAction { case pressed(Int) }
    enum Internal: ModuleAction {
        case rode(String)
        case servedLater
    }

    func begin(_ start: NoFields) -> State { State() }

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        switch action {
        case .called(let floor): try ride(&state, to: floor, "called")
        }
    }

    func reduce(_ state: inout State, ui action: UI) throws -> Effect<State> {
        switch action {
        case .pressed(let floor): try ride(&state, to: floor, "pressed")
        }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .rode(let ride):
            state.rides.append(ride)
            return .none
        case .servedLater:
            return .run { context in try context.dependencies[RideKey.self]("served") }
        }
    }

    /// The effect is made before the refusal, from the states before and after the change.
    private func ride(
        _ state: inout State,
        to floor: Int,
        _ word: String
    ) throws -> Effect<State> {
        let old = state.floor
        state.floor = floor
        let ride = "\(word) from \(old) to \(state.floor)"
        let effect = Effect<State>.run { context in
            try context.dependencies[RideKey.self](ride)
            try await context.dispatch(Internal.rode(ride))
        }
        guard floor >= 0 else { throw Refusal(reason: "There is no cellar.") }
        return effect
    }
}

private enum RideKey: DependencyKey {
    static let live: @Sendable (String) -> Void = { _ in }
}

private struct House: RootState {
    var lift: Lift.State? = Lift.State()
    static let modules: Modules = [Lift().at(\.lift)]
}

private struct Tower: RootState {
    var lifts = Instances<Lift.State>()
    static let modules: Modules = [Lift().at(\.lifts)]
}

/// The reducer that applies an action returns its effect. The tests of ``FollowedModulesTests``
/// prove that a replay drops the effect.
@Suite struct EffectfulModuleTests {
    private let rides = Journaled<String>()

    private func core<State: RootState>(
        _ state: State,
        _ journal: (any Journal)? = nil
    ) throws -> Core<State> {
        var configuration = CoreConfiguration<State>()
        configuration.journal = journal
        let dependencies = Dependencies.live.setting(RideKey.self) { [rides] in rides.add($0) }
        return try Core(
            state,
            runner: EffectRunner(dependencies: dependencies),
            configuration: configuration
        )
    }

    private func offer(
        _ actions: [any Action],
        _ mode: EnvelopeMode = .apply,
        to core: Core<House>
    ) async throws -> [Outcome] {
        let outcomes = Outcomes()
        try core.engine.offer(
            Envelope(
                members: actions.map { EnvelopeMember(action: $0, type: "\($0)") },
                mode: mode,
                completion: outcomes
            )
        )
        // After the next action and the wait, no effect of these actions is running.
        _ = try await core.apply(Lift.Internal.rode("end"))
        await core.effectRunner?.waitUntilIdle()
        return outcomes.all.values
    }

    @Test func `an effect has the action, the state before it and the state behind it`()
        async throws
    {
        let core = try core(House())
        for action in [Lift.Action.called(to: 3), .called(to: 5)] {
            try await core.apply(action)
            await core.effectRunner?.waitUntilIdle()
        }
        #expect(rides.values == ["called from 0 to 3", "called from 3 to 5"])
        let state = try await core.apply(Lift.Internal.rode("end")).state
        #expect(state.lift?.floor == 5)
        #expect(state.lift?.rides == rides.values + ["end"])
    }

    @Test func `actions of each kind have effects`() async throws {
        let core = try core(House())
        let actions: [any Action] = [
            Lift.Action.called(to: 1), Lift.UI.pressed(2), Lift.Internal.servedLater,
        ]
        for action in actions {
            try await core.apply(action)
            await core.effectRunner?.waitUntilIdle()
        }
        #expect(rides.values == ["called from 0 to 1", "pressed from 1 to 2", "served"])
    }

    @Test func `an effect works for its own instance`() async throws {
        let core = try core(Tower())
        for id in ["a", "b"] { try await core.apply(Lift.start.to(id)) }
        try await core.apply(Lift.Action.called(to: 4).to("b"))
        await core.effectRunner?.waitUntilIdle()
        let state = try await core.apply(Lift.start.to("c")).state
        #expect(state.lifts["a"] == Lift.State())
        #expect(state.lifts["b"] == Lift.State(floor: 4, rides: ["called from 0 to 4"]))
    }

    @Test func `a refused action has no effect`() async throws {
        let core = try core(House())
        let outcomes = try await offer([Lift.Action.called(to: -1)], to: core)
        guard case .refused(let refusal, member: 0)? = outcomes.first else {
            Issue.record("It was not refused.")
            return
        }
        #expect(refusal.reason == "There is no cellar.")
        #expect(rides.values.isEmpty)
    }

    @Test func `a dry run has no effect`() async throws {
        let core = try core(House())
        let outcomes = try await offer([Lift.Action.called(to: 2)], .dryRun, to: core)
        guard case .dryRun(let run)? = outcomes.first else {
            Issue.record("It was no dry run.")
            return
        }
        #expect(run.changed)
        #expect(rides.values.isEmpty)
    }

    @Test func `an array with a refusal has no effect`() async throws {
        let core = try core(House())
        _ = try await offer([Lift.Action.called(to: 2), Lift.Action.called(to: -1)], to: core)
        #expect(rides.values.isEmpty)
        _ = try await offer([Lift.Action.called(to: 2), Lift.Action.called(to: 3)], to: core)
        #expect(Set(rides.values) == ["called from 0 to 2", "called from 2 to 3"])
    }

    @Test func `a module with effects reduces without them, too`() throws {
        func reduced<M: Module>(_ module: M, _ action: M.Interface.Action, _ state: M.State) throws
            -> M.State
        {
            var state = state
            try module.reduce(&state, action)
            return state
        }
        #expect(try reduced(Lift(), .called(to: 7), Lift.State()).floor == 7)
        #expect(throws: Refusal.self) { try reduced(Lift(), .called(to: -7), Lift.State()) }
    }
}
