import StoreCore
import StoreJSON
import StorePatterns
import StorePlatform
import Synchronization
import Testing

/// A module whose effects outlive the server.
private struct Orders: KeepingModule {
    struct State: ModuleState {
        var placed: [Int] = []
        var sent: [Int] = []
        var lost: [UInt64] = []
    }

    enum Action: ModuleAction {
        case placed(number: Int, again: Bool)
        /// Asks for two pieces of work in a row, and for a third piece that is no value.
        case placedTwice(number: Int)
        /// Asks for work that can't be encoded.
        case weighed(kilograms: Double)
        case labelled(String)
    }

    enum Internal: ModuleAction {
        case sent(number: Int)
        case lost(version: UInt64)
        case failed(number: Int)
    }

    enum Work: ModuleWork {
        case sending(number: Int, before: Int)
        case weighing(Double)
        case labelling(String)
    }

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        let before = state.placed.count
        switch action {
        case .placed(let number, let again):
            state.placed.append(number)
            return keep(
                .sending(number: number, before: before),
                onRestart: again ? .retried : .reported
            )
        case .placedTwice(let number):
            return .concatenate(
                keep(.sending(number: number, before: before)),
                .run { _ in },
                keep(.sending(number: number + 1, before: before))
            )
        case .weighed(let kilograms):
            state.placed.append(0)
            return keep(.weighing(kilograms))
        case .labelled(let text): return keep(.labelling(text))
        }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .sent(let number): state.sent.append(number)
        case .lost(let version): state.lost.append(version)
        case .failed(let number): state.sent.append(-number)
        }
        return .none
    }

    func perform(_ work: Work, _ context: EffectContext<State>) async throws {
        guard case .sending(let number, let before) = work else { return }
        try await context.dependencies[CourierKey.self](number)
        try await context.dispatch(Internal.sent(number: 100 * before + number))
    }

    func failed(_ work: Work, _ error: any Error) -> Internal? {
        guard case .sending(let number, _) = work else { return nil }
        return .failed(number: number)
    }

    func interrupted(after version: UInt64) -> Internal? { .lost(version: version) }
}

/// A side effect that outlives the server.
private struct Posted: RetriedSideEffect {
    static let retry = Retry.never
    static let onRestart = RestartPolicy.retried
    let number: Int

    func sideEffect(_ context: EffectContext<Parcels.State>) async throws {
        try await context.dispatch(Parcels.Internal.posted(number: number))
    }
}

/// A module that keeps only its side effects.
private struct Parcels: Module {
    struct State: ModuleState { var posted: [Int] = [] }
    enum Internal: ModuleAction { case posted(number: Int) }

    static let dispatchables: [any Dispatchable.Type] = [Posted.self]

    func reduce(_ state: inout State, internal action: Internal) {
        if case .posted(let number) = action { state.posted.append(number) }
    }
}

private struct Depot: RootState {
    var parcels = Parcels.State()
    var effects = PendingEffects.State()

    static let modules: Modules = [Parcels().at(\.parcels), PendingEffects().at(\.effects)]
}

private struct DepotWithoutLedger: RootState {
    var parcels = Parcels.State()

    static let modules: Modules = [Parcels().at(\.parcels)]
}

/// Keeps inputs as JSON.
private struct Codec: WorkCodec {
    func text(of value: any Encodable & Sendable) throws -> String {
        func text(_ value: some Encodable) throws -> String {
            String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        }
        return try text(value)
    }

    func value<Value: Decodable>(_ type: Value.Type, of text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Array(text.utf8))
    }
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
private struct Rounds: StartableModule, KeepingModule {
    struct State: ModuleState { var made = 0 }
    enum Action: ModuleAction { case asked }
    enum Internal: ModuleAction { case made }
    enum Work: ModuleWork { case round }

    func begin(_ start: NoFields) -> State { State() }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> { keep(.round) }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        state.made += 1
        return .none
    }

    func perform(_ work: Work, _ context: EffectContext<State>) async throws {
        try await context.dispatch(Internal.made)
    }
}

private struct Yard: RootState {
    var rounds: Rounds.State?
    var effects = PendingEffects.State()

    static let modules: Modules = [Rounds().at(\.rounds), PendingEffects().at(\.effects)]
}

/// A core whose ledger keeps inputs, as a server's does.
private func keepingCore<Root: RootState>(
    _ state: Root,
    _ dependencies: Dependencies = .live
) throws -> Core<Root> {
    var configuration = CoreConfiguration<Root>()
    configuration.workCodec = Codec()
    let runner = EffectRunner(dependencies: dependencies)
    return try Core(state, runner: runner, configuration: configuration)
}

extension Core where State: RootState {
    /// Returns the state after the end of all work.
    fileprivate func settled() async throws -> State {
        await effectRunner?.waitUntilIdle()
        return try await apply(PendingEffects.Internal.ended(version: 0)).state
    }

    /// Resumes, and returns the result for each entry.
    fileprivate func resumed(
        _ entries: [PendingEffects.Entry],
        past: PastAction? = nil
    ) async throws -> [EffectResumption] {
        let said = Locked<[EffectResumption]>([])
        resume(entries, pastAction: { _ in past }) { _, what in said.withLock { $0.append(what) } }
        _ = try await settled()
        return said.withLock { $0 }
    }
}

@Suite struct KeptEffectTests {
    @Test func `an effect is in the ledger from the step that asks for it until it has ended`()
        async throws
    {
        let (gate, opened) = AsyncStream<Void>.makeStream()
        let core = try keepingCore(
            Shop(),
            .live.setting(CourierKey.self) { _ in for await _ in gate { break } }
        )
        let begun = try await core.apply(Orders.Action.placed(number: 7, again: true)).state
        #expect(begun.effects.pending.map(\.version) == [1])
        #expect(begun.effects.pending.map(\.onRestart) == [.retried])
        #expect(
            begun.effects.pending.map(\.work?.input) == [#"{"sending":{"number":7,"before":0}}"#]
        )
        opened.yield()
        let ended = try await core.settled()
        #expect(ended.effects.pending.isEmpty)
        #expect(ended.orders.sent == [7])
    }

    @Test func `kept work runs again with its first input, in any state`()
        async throws
    {
        let (gate, opened) = AsyncStream<Void>.makeStream()
        let first = try keepingCore(
            Shop(orders: Orders.State(placed: [5, 6])),
            .live.setting(CourierKey.self) { _ in for await _ in gate { break } }
        )
        let cutOff = try await first.apply(Orders.Action.placed(number: 7, again: true)).state
        var now = cutOff
        now.orders.placed += [8, 9]
        let core = try keepingCore(now)
        #expect(try await core.resumed(cutOff.effects.pending) == [.runAgain])
        let state = try await core.settled()
        #expect(state.orders.sent == [207])
        #expect(state.effects.pending.isEmpty)
        opened.finish()
        await first.effectRunner?.waitUntilIdle()
    }

    @Test func `an effect that finds no place stays in the ledger, and the next start runs it`()
        async throws
    {
        let (opened, opening) = AsyncStream<Void>.makeStream()
        let core = try keepingCore(
            Shop(),
            .live.setting(CourierKey.self) { number in
                if number < 0 { for await _ in opened { break } }
            }
        )
        for _ in 0..<EffectRunner.runningMax {
            _ = try await core.apply(Orders.Action.placed(number: -1, again: false))
        }
        _ = try await core.apply(Orders.Action.placed(number: 7, again: true))
        opening.finish()
        let full = try await core.settled()
        #expect(full.orders.sent.count == EffectRunner.runningMax)
        let left = full.effects.pending
        #expect(left.map(\.version) == [UInt64(EffectRunner.runningMax) + 1])
        let next = try keepingCore(full)
        #expect(try await next.resumed(left) == [.runAgain])
        let state = try await next.settled()
        #expect(state.orders.sent.last == 100 * EffectRunner.runningMax + 7)
        #expect(state.effects.pending.isEmpty)
    }

    @Test func `the kept parts of a row run again in their order`() async throws {
        let core = try keepingCore(Shop())
        let entry = try await core.apply(Orders.Action.placedTwice(number: 1)).state
        _ = try await core.settled()
        let next = try keepingCore(Shop())
        #expect(try await next.resumed(entry.effects.pending) == [.runAgain])
        #expect(try await next.settled().orders.sent == [1, 2])
    }

    @Test func `a side effect is run again as the same value`() async throws {
        let core = try keepingCore(Depot())
        let entry = try await core.apply(Posted(number: 4)).state.effects.pending
        _ = try await core.settled()
        let next = try keepingCore(Depot())
        #expect(try await next.resumed(entry) == [.runAgain])
        #expect(try await next.settled().parcels.posted == [4])
    }

    @Test func `a module gets an action for the error of the last try`() async throws {
        let core = try keepingCore(
            Shop(),
            .live.setting(CourierKey.self) { _ in throw CancelledOrder() }
        )
        try await core.apply(Orders.Action.placed(number: 7, again: true))
        #expect(try await core.settled().orders.sent == [-7])
    }

    @Test func `an effect that is reported gives its module an action`() async throws {
        let core = try keepingCore(Shop())
        let entry = PendingEffects.Entry(version: 5, slice: "orders", onRestart: .reported)
        #expect(try await core.resumed([entry]) == [.reported])
        #expect(try await core.settled().orders.lost == [5])
    }

    @Test(arguments: [nil, "nonsense", #"{"sending":{"parcel":7}}"#] as [String?])
    func `an input that is not there or not readable is reported`(input: String?) async throws {
        let json =
            if let input {
                #"{"version":3,"slice":"orders","onRestart":"retried","work":{"input":"#
                    + String(decoding: try JSONEncoder().encode(input), as: UTF8.self) + "}}"
            } else {
                #"{"version":3,"slice":"orders","onRestart":"retried"}"#
            }
        let entry = try JSONDecoder().decode(PendingEffects.Entry.self, from: Array(json.utf8))
        let core = try keepingCore(Shop())
        let said = try await core.resumed([entry])
        guard case .impossible? = said.first else { return #expect(said == []) }
        #expect(try await core.settled().orders.lost == [3])
    }

    @Test func `kept work does not run again for a slice that has ended`() async throws {
        let first = try keepingCore(Yard(rounds: Rounds.State()))
        let entries = try await first.apply(Rounds.Action.asked).state.effects.pending
        _ = try await first.settled()
        for now in [Rounds.State(), nil] {
            let core = try keepingCore(Yard(rounds: now))
            let said = try await core.resumed(entries)
            #expect(said == [now == nil ? .impossible("its slice is gone") : .runAgain])
            #expect(try await core.settled().rounds?.made == (now == nil ? nil : 1))
        }
    }

    @Test func `an action whose effect can't be kept fails and changes nothing`() async throws {
        let core = try keepingCore(Shop())
        let long = String(repeating: "x", count: KeptWork.inputBytesMax)
        for action in [Orders.Action.weighed(kilograms: .nan), .labelled(long)] {
            let error = await refusal { try await core.apply(action) }
            #expect(error?.reducerError is KeptWorkError)
        }
        let state = try await core.settled()
        #expect(state == Shop())
    }

    @Test func `a module that keeps its effects needs a ledger`() {
        #expect(throws: ModuleError.noEffectLedger("orders")) { try Core(ShopWithoutLedger()) }
        #expect(throws: ModuleError.noEffectLedger("parcels")) { try Core(DepotWithoutLedger()) }
    }
}

private struct CancelledOrder: Error {}
