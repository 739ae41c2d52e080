import StoreCore
import StoreTesting
import Testing

private enum PostKey: DependencyKey {
    static let live: @Sendable (Int) async throws -> Void = { _ in }
}

private struct Lost: Error, Equatable, CustomStringConvertible {
    var description: String { "the post is closed" }
}

/// A module whose work continues after a restart.
private struct Parcels: KeepingModule {
    struct State: ModuleState {
        var placed: [Int] = []
        var sent: [Int] = []
        var lost: [Int] = []
    }

    enum Action: ModuleAction { case placed(number: Int) }

    enum Internal: ModuleAction {
        case sent(number: Int)
        case lost(number: Int)
    }

    enum Work: ModuleWork { case sending(number: Int) }

    /// True if an action reports that the work has failed.
    var reportsLoss = false

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        switch action {
        case .placed(let number):
            guard number > 0 else { throw Refusal(reason: "There is no parcel 0.") }
            state.placed.append(number)
            return keep(.sending(number: number), id: "sending")
        }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .sent(let number): state.sent.append(number)
        case .lost(let number): state.lost.append(number)
        }
        return .none
    }

    func perform(_ work: Work, _ context: EffectContext<State>) async throws {
        switch work {
        case .sending(let number):
            try await context.sleep(for: .seconds(1))
            try await context.dependencies[PostKey.self](number)
            try await context.dispatch(Internal.sent(number: number))
        }
    }

    func failed(_ work: Work, _ error: any Error) -> Internal? {
        switch work {
        case .sending(let number): reportsLoss ? .lost(number: number) : nil
        }
    }
}

private struct Depot: RootState {
    var parcels = Parcels.State()
    var effects = PendingEffects.State()

    static let modules: Modules = [Parcels().at(\.parcels), PendingEffects().at(\.effects)]
}

@Suite struct KeepingModuleTests {
    private let clock = ManualClock()
    private let failures = Failures()

    private func world(_ post: @escaping @Sendable (Int) async throws -> Void) -> Dependencies {
        .controlled(by: clock).setting(PostKey.self, to: post)
    }

    @Test func `kept work of a module alone runs, and its actions are received`() async {
        let sent = Recorder<Int>()
        let store = TestStore(
            Parcels(),
            Parcels.State(),
            dependencies: world { sent.record($0) }
        )
        await store.send(.placed(number: 7)) { $0.placed = [7] }
        #expect(sent.values.isEmpty)
        await clock.advance(by: .seconds(1))
        await store.receive(.sent(number: 7)) { $0.sent = [7] }
        #expect(sent.values == [7])
        await store.send(.placed(number: 0), refused: "There is no parcel 0.")
        await store.finish()
    }

    @Test func `kept work of a root state runs`() async {
        let store = TestStore(Depot(), dependencies: world { _ in })
        await store.send(Parcels.Action.placed(number: 7)) { $0.parcels.placed = [7] }
        await clock.advance(by: .seconds(1))
        await store.receive(Parcels.Internal.sent(number: 7)) { $0.parcels.sent = [7] }
        await store.finish()
    }

    @Test func `kept work that has not ended is named at the finish`() async {
        let store = TestStore(
            Parcels(),
            Parcels.State(),
            dependencies: world { _ in },
            timeout: .milliseconds(50),
            reporter: failures.reporter
        )
        await store.send(.placed(number: 7)) { $0.placed = [7] }
        await store.finish()
        let texts = failures.take()
        #expect(texts.count == 1)
        #expect(texts.first?.contains("Effects did not end") == true, "\(texts)")
        #expect(
            texts.first?.contains("'parcels/sending', after Parcels.Action.placed(number: 7)")
                == true,
            "\(texts)"
        )
    }

    @Test func `an unstated error of kept work is reported in words`() async {
        let store = TestStore(
            Parcels(),
            Parcels.State(),
            dependencies: world { _ in throw Lost() },
            reporter: failures.reporter
        )
        await store.send(.placed(number: 7)) { $0.placed = [7] }
        await clock.advance(by: .seconds(1))
        await store.finish()
        let texts = failures.take()
        #expect(texts.count == 1)
        #expect(
            texts.first?.contains(
                "the effect 'parcels/sending', after Parcels.Action.placed(number: 7), threw: "
                    + "the post is closed"
            ) == true,
            "\(texts)"
        )
        await store.send(.placed(number: 8)) { $0.placed = [7, 8] }
        await clock.advance(by: .seconds(1))
        await store.receive(failure: Lost())
        await store.finish()
        #expect(failures.take().isEmpty)
    }

    @Test func `the action of a module for work that has failed is received`() async {
        let store = TestStore(
            Parcels(reportsLoss: true),
            Parcels.State(),
            dependencies: world { _ in throw Lost() }
        )
        await store.send(.placed(number: 7)) { $0.placed = [7] }
        await clock.advance(by: .seconds(1))
        await store.receive(.lost(number: 7)) { $0.lost = [7] }
        await store.finish()
    }

    @Test func `a given state states steps, and leaves kept work out`() {
        let given = Given(Parcels(), Parcels.State())
        given.when(.placed(number: 7)) { $0.placed = [7] }
        given.when(.placed(number: 0), refused: "There is no parcel 0.")
        given.when(.sent(number: 7)) { $0.sent = [7] }
        Given(Depot()).when(Parcels.Action.placed(number: 7)) { $0.parcels.placed = [7] }
    }
}
