import StoreCore
import StorePlatform
import Synchronization
import Testing

/// A module whose effects outlive the server.
private struct Orders: EffectfulModule {
    struct State: ModuleState {
        var placed: [Int] = []
        var sent: [Int] = []
        var lost: [UInt64] = []
    }

    enum Action: ModuleAction {
        case placed(number: Int, again: Bool)
        /// Is refused the second time.
        case placedOnce(number: Int)
    }

    enum Internal: ModuleAction {
        case sent(number: Int)
        case lost(version: UInt64)
    }

    static let keepsEffects = true

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        switch action {
        case .placed(let number, let again):
            return .run(onRestart: again ? .retried : .reported) { context in
                try await context.dependencies[CourierKey.self](number)
                try await context.dispatch(Internal.sent(number: number))
            }
        case .placedOnce(let number):
            guard !state.placed.contains(number) else {
                throw Refusal(reason: "It is placed already.")
            }
            let before = state.placed.count
            state.placed.append(number)
            return .run(onRestart: .retried) { context in
                try await context.dispatch(Internal.sent(number: 100 * before + number))
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

/// A module whose slice may end before its effects do.
private struct Rounds: StartableModule, EffectfulModule {
    struct State: ModuleState { var made = 0 }
    enum Action: ModuleAction { case asked }
    enum Internal: ModuleAction { case made }

    static let keepsEffects = true

    func begin(_ start: NoFields) -> State { State() }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        .run(onRestart: .retried) { try await $0.dispatch(Internal.made) }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        state.made += 1
        return .none
    }
}

private struct Yard: RootState {
    var rounds: Rounds.State?
    var effects = PendingEffects.State()

    static let modules: Modules = [Rounds().at(\.rounds), PendingEffects().at(\.effects)]
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

    @Test func `it is made again of the state that its action was applied to`() async throws {
        let action = Orders.Action.placedOnce(number: 7)
        let old = Shop(orders: Orders.State(placed: [5, 6]))
        var now = old
        now.orders.placed += [7, 8]
        let entry = PendingEffects.Entry(version: 3, slice: "orders", onRestart: .retried)
        for (before, sent, lost) in [(old, [207], []), (nil, [], [3])] as [(Shop?, [Int], [UInt64])]
        {
            let core = try Core(now)
            core.resume([entry], past: { _ in PastAction(action) }, before: { _ in before }) {
                _,
                _ in
            }
            await core.effects?.untilIdle()
            let state = try await core.dispatch(PendingEffects.Internal.ended(version: 0)).state
            #expect(state.orders.placed == [5, 6, 7, 8])
            #expect(state.orders.sent == sent)
            #expect(state.orders.lost == lost)
        }
    }

    @Test func `it is not run again for a slice that has ended`() async throws {
        let entry = PendingEffects.Entry(version: 3, slice: "rounds", onRestart: .retried)
        for now in [Rounds.State(), nil] {
            let core = try Core(Yard(rounds: now))
            let isRunAgain = Locked<Bool?>(nil)
            core.resume([entry]) { _ in
                PastAction(Rounds.Action.asked)
            } before: { _ in
                Yard(rounds: Rounds.State())
            } report: { _, isAgain in
                isRunAgain.withLock { $0 = isAgain }
            }
            await core.effects?.untilIdle()
            let state = try await core.dispatch(PendingEffects.Internal.ended(version: 0)).state
            #expect(state.rounds?.made == (now == nil ? nil : 1))
            #expect(isRunAgain.withLock { $0 } == (now != nil))
        }
    }

    @Test func `a module that keeps its effects needs a ledger`() {
        #expect(throws: ModuleError.noLedger("orders")) { try Core(ShopWithoutLedger()) }
    }
}
