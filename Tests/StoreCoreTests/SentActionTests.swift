import StoreCore
import StorePlatform
import StoreTesting
import Testing

/// Actions that an effect dispatches without waiting for them.
@Suite struct SentActionTests {
    private struct Bell: EffectfulModule {
        struct State: ModuleState { var rung: [Int] = [] }
        enum Action: ModuleAction {
            case pulled(times: Int)
            case held, released
        }
        enum Internal: ModuleAction { case rang(Int) }

        func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
            switch action {
            case .pulled(let times):
                return .run { context in
                    for time in 0..<times {
                        context.send(Internal.rang(time), file: "Bell.swift", line: 5)
                    }
                }
            case .held:
                return .run(id: "held") { context in
                    try? await context.sleep(for: .seconds(60))
                    context.send(Internal.rang(60))
                }
            case .released: return .cancel(id: "held")
            }
        }

        func reduce(_ state: inout State, internal action: Internal) throws -> Effect<State> {
            switch action {
            case .rang(let time):
                guard time != 1 else { throw Refusal(reason: "The rope has slipped.") }
                state.rung.append(time)
                return .none
            }
        }
    }

    private struct Church: RootState {
        var bell = Bell.State()
        static let modules: Modules = [Bell().at(\.bell)]
    }

    private let journal = MemoryJournal()
    private let follower = RecordingFollower()
    private let clock = ManualClock()

    private func core() throws -> Core<Church> {
        var configuration = CoreConfiguration<Church>()
        configuration.journal = journal
        configuration.follower = follower
        return try Core(
            Church(),
            runner: EffectRunner(dependencies: .controlled(by: clock)),
            configuration: configuration
        )
    }

    private func end(of action: Bell.Action, in core: Core<Church>) async throws {
        let watch = EffectWatch()
        _ = try await core.apply(action, watch: watch)
        await withCheckedContinuation { continuation in
            watch.whenDone { _ in continuation.resume() }
        }
    }

    @Test func `a sent action is applied in order, with its cause and place, before a wait ends`()
        async throws
    {
        let core = try core()
        try await end(of: .pulled(times: 1), in: core)
        let records = try journal.read(JournalPageRequest(after: 0, limit: 10)).records
        #expect(records.map(\.cause) == [nil, 1])
        #expect(records.map(\.origin) == [nil, "Bell.swift:5"])
        #expect(try await core.apply(Bell.Action.pulled(times: 0)).state.bell.rung == [0])
    }

    @Test func `a refused sent action is counted and reported, and the next is applied`()
        async throws
    {
        let core = try core()
        try await end(of: .pulled(times: 3), in: core)
        #expect(try await core.apply(Bell.Action.pulled(times: 0)).state.bell.rung == [0, 2])
        #expect(core.droppedTotal == 1)
        let dropped = try await follower.droppedActions.next()
        #expect(dropped.reason as? Refusal == Refusal(reason: "The rope has slipped."))
        #expect(dropped.source.cause == 1 && dropped.source.sourceLocation == "Bell.swift:5")
    }

    @Test func `a cancelled effect sends nothing`() async throws {
        let core = try core()
        try await core.apply(Bell.Action.held)
        try await core.apply(Bell.Action.released)
        await core.effectRunner?.waitUntilIdle()
        #expect(try await core.apply(Bell.Action.pulled(times: 0)).state.bell.rung.isEmpty)
        #expect(core.droppedTotal == 0)
    }
}
