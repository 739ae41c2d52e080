import StoreCore
import StorePatterns
import StoreTesting
import Testing

private enum CourierKey: DependencyKey {
    static let live: @Sendable (Int) async throws -> Void = { _ in }
}

/// Sends an order, also after a restart.
private struct Send: RetriedSideEffect {
    static let retry = Retry.never
    static let onRestart = RestartPolicy.retried

    let number: Int

    func sideEffect(_ context: EffectContext<Orders.State>) async throws {
        try await context.dependencies[CourierKey.self](number)
        try await context.dispatch(Orders.Internal.sent(number: number))
    }
}

/// A module whose effects outlive the server.
private struct Orders: Module {
    struct State: ModuleState {
        var placed: [Int] = []
        var sent: [Int] = []
    }

    enum Action: ModuleAction { case placed(number: Int) }
    enum Internal: ModuleAction { case sent(number: Int) }

    static let dispatchables: [any Dispatchable.Type] = [Send.self]

    func reduce(_ state: inout State, _ action: Action) throws {
        switch action {
        case .placed(let number):
            guard number > 0 else { throw Refusal(reason: "There is no order 0.") }
            state.placed.append(number)
        }
    }

    func reduce(_ state: inout State, internal action: Internal) {
        switch action {
        case .sent(let number): state.sent.append(number)
        }
    }
}

private struct Shop: RootState {
    var orders = Orders.State()
    var effects = PendingEffects.State()

    static let modules: Modules = [Orders().at(\.orders), PendingEffects().at(\.effects)]
}

@Suite struct KeptEffectStoreTests {
    private let world = Dependencies.controlled().setting(CourierKey.self, to: { _ in })

    @Test func `a module alone that keeps effects is tested with its own actions`() async {
        let store = TestStore(Orders(), Orders.State(), dependencies: world)
        await store.send(.placed(number: 7)) { $0.placed = [7] }
        await store.send(Send(number: 7))
        await store.receive(Orders.Internal.sent(number: 7)) { $0.sent = [7] }
        await store.send(.placed(number: 0), refused: "There is no order 0.")
        await store.finish()
        let given = Given(Orders(), Orders.State())
        given.when(.placed(number: 7)) { $0.placed = [7] }
        given.when(.placed(number: 0), refused: "There is no order 0.")
        given.when(.sent(number: 7)) { $0.sent = [7] }
    }

    @Test func `a test states nothing of a root state's ledger`() async {
        let store = TestStore(Shop(), dependencies: world)
        await store.send(Send(number: 7))
        await store.receive(Orders.Internal.sent(number: 7)) { $0.orders.sent = [7] }
        await store.finish()
        Given(Shop()).when(Send(number: 7))
    }
}
