import Platform
import StoreCore
import Synchronization
import Testing

/// A module whose effects outlive the server.
private struct Orders: EffectfulModule {
    struct State: ModuleState {
        var sent: [Int] = []
        var lost: [UInt64] = []
    }

    enum Action: ModuleAction {
        case placed(number: Int, again: Bool)
    }

    enum Internal: ModuleAction {
        case sent(number: Int)
        case lost(version: UInt64)
    }

    static let keepsEffects = true

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .placed(let number, let again):
            return .run(onRestart: again ? .retried : .reported) { context in
                try await context.dependencies[CourierKey.self](number)
                try await context.dispatch(Internal.sent(number: number))
            }
        }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .sent(let number): state.sent.append(number)
        case .lost(let version): state.lost.append(version)
        }
        return .none
    }

    func interrupted(after version: UInt64) -> Internal? { .lost(version: version) }
}

private enum CourierKey: DependencyKey {
    static let live: @Sendable (Int) async throws -> Void = { _ in }
}

private struct Shop: RootState {
    var orders = Orders.State()
    var effects = PendingEffects.State()

    static let modules: Modules = [Orders().at(\.orders), PendingEffects().at(\.effects)]
}

private struct ShopWithoutLedger: RootState {
    var orders = Orders.State()

    static let modules: Modules = [Orders().at(\.orders)]
}

@Suite struct KeptEffectTests {
    @Test func `an effect is in the ledger from the step that asks for it until it has ended`()
        async throws
    {
        let (gate, opened) = AsyncStream<Void>.makeStream()
        let dependencies = Dependencies.live.setting(CourierKey.self) { _ in
            for await _ in gate { break }
        }
        let core = try Core(Shop(), dependencies: dependencies)
        let begun = try await core.dispatch(Orders.Action.placed(number: 7, again: true)).state
        #expect(begun.effects.pending.map(\.version) == [1])
        #expect(begun.effects.pending.map(\.onRestart) == [.retried])
        opened.yield()
        await core.effects?.untilIdle()
        let ended = try await core.dispatch(PendingEffects.Internal.ended(version: 0)).state
        #expect(ended.effects.pending.isEmpty)
        #expect(ended.orders.sent == [7])
    }

    @Test func `after a restart it is run again, or its module gets a report`() async throws {
        let core = try Core(Shop())
        let entries = [
            PendingEffects.Entry(version: 3, slice: "orders", onRestart: .retried),
            PendingEffects.Entry(version: 5, slice: "orders", onRestart: .reported),
        ]
        let said = Locked<[Bool]>([])
        core.resume(entries) { version in
            version == 3 ? PastAction(Orders.Action.placed(number: 9, again: true)) : nil
        } report: { _, isRunAgain in
            said.withLock { $0.append(isRunAgain) }
        }
        await core.effects?.untilIdle()
        let state = try await core.dispatch(PendingEffects.Internal.ended(version: 0)).state
        #expect(state.orders.sent == [9])
        #expect(state.orders.lost == [5])
        #expect(said.withLock { $0 } == [true, false])
    }

    @Test func `a module that keeps its effects needs a ledger`() {
        #expect(throws: ModuleError.noLedger("orders")) { try Core(ShopWithoutLedger()) }
    }
}
