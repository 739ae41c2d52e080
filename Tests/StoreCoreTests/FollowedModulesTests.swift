import StoreCore
import StorePatterns
import StorePlatform
import StoreTesting
import Synchronization
import Testing

/// The work of an engine for module actions that another engine has applied.
@Suite struct FollowedModulesTests {
    /// Records the calls of a program's parts.
    private final class Calls: Sendable {
        let all = Journaled<String>()
        @TaskLocal static var current: Calls?
    }

    private struct Lamp: EffectfulModule {
        struct State: ModuleState {
            var isOn = false
            var burnt = 0
        }

        enum Action: ModuleAction { case switched, burning, cooled }
        enum UI: ModuleAction { case tapped }
        enum Internal: ModuleAction { case burnt }

        func reduce(_ state: inout State, ui action: UI) -> Effect<State> {
            state.isOn.toggle()
            return .none
        }

        func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
            state.burnt += 1
            return .none
        }

        func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
            switch action {
            case .switched:
                state.isOn.toggle()
                return .none
            case .burning:
                return .run(id: "burn") { context in
                    Calls.current?.all.add("effect")
                    try await context.sleep(for: .seconds(1))
                    try await context.dispatch(Internal.burnt)
                }
            case .cooled: return .cancel(id: "burn")
            }
        }
    }

    private struct LampPresenter: Presenter {
        func stateDidUpdate(
            from old: Lamp.State?,
            to new: Lamp.State?,
            _ context: PresenterContext
        ) {
            guard old != nil else { return }
            Calls.current?.all.add("presenter")
        }
    }

    private struct House: RootState {
        var lamp = Lamp.State()
        var sessions = Sessions.State()
        static let modules: Modules = [
            Lamp().at(\.lamp).presented(by: LampPresenter()), Sessions().at(\.sessions),
        ]
    }

    /// An engine with every part that looks at actions.
    private final class Engine: Sendable {
        let core: Core<House>
        let runner: EffectRunner
        let calls = Calls()
        let seen = Journaled<House>()
        let lamps = Journaled<Lamp.State?>()

        init(_ journal: any Journal, _ clock: ManualClock) throws {
            runner = EffectRunner(dependencies: .controlled(by: clock))
            var configuration = CoreConfiguration<House>()
            configuration.journal = journal
            configuration.makeMember = { EnvelopeMember(action: $0, type: "\($0)") }
            configuration.reader = TypeReader { type in
                let all: [any Action] = [
                    Lamp.Action.switched, Lamp.Action.burning, Lamp.Action.cooled, Lamp.UI.tapped,
                    Lamp.Internal.burnt,
                ]
                return all.first { "\($0)" == type }
            }
            core = try Core(House(), runner: runner, configuration: configuration)
            let calls = calls
            core.observe { [seen] in seen.add($0) }
            try core.child(Lamp.self).observe { [lamps] _, new in lamps.add(new) }
            core.add(middleware: { _, _, _ in
                calls.all.add("middleware")
                return nil
            })
            core.add(interceptor: { _, _, _ in
                calls.all.add("interceptor")
                return .proceed
            })
            core.add(
                reaction: .onStateChange { _, _ in
                    calls.all.add("reaction")
                    return nil
                }
            )
        }

        func dispatch(_ action: any Action) async throws {
            try await Calls.$current.withValue(calls) { _ = try await core.apply(action) }
        }
    }

    @Test func `only readers and observers see actions of another engine`() async throws {
        let journal = MemoryJournal()
        let clock = ManualClock()
        let one = try Engine(journal, clock)
        let other = try Engine(journal.makeJournalOfSameHistory(), clock)
        try await one.dispatch(Lamp.Action.switched)
        #expect(other.seen.values.map(\.lamp.isOn) == [false, true])
        #expect(other.lamps.values.map { $0?.isOn } == [false, true])
        #expect(other.calls.all.values.isEmpty)
        #expect(
            Set(one.calls.all.values) == ["presenter", "middleware", "interceptor", "reaction"]
        )
    }

    @Test func `an action that another engine applied is not judged again`() throws {
        let journal = MemoryJournal()
        let engine = try Engine(journal, ManualClock())
        // The view is presented to no session of this engine.
        let tapped = Record(version: 1, time: 0, type: "tapped", payload: [], changed: true)
        try journal.makeJournalOfSameHistory().append(JournalBatch(records: [tapped]), at: 0)
        #expect(engine.seen.values.last?.lamp.isOn == true)
    }

    @Test func `an effect runs at the engine of its action, and another engine can cancel it`()
        async throws
    {
        let journal = MemoryJournal()
        let clock = ManualClock()
        let one = try Engine(journal, clock)
        let other = try Engine(journal.makeJournalOfSameHistory(), clock)
        try await one.dispatch(Lamp.Action.burning)
        #expect(one.runner.runningCount == 1)
        #expect(other.runner.runningCount == 0)
        try await other.dispatch(Lamp.Action.cooled)
        await one.runner.waitUntilIdle()
        await clock.advance(by: .seconds(2))
        #expect(try journal.tail(from: 0).map(\.type) == ["burning", "cooled"])
    }
}
