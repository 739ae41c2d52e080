import StoreCore
import StorePatterns
import StorePlatform
import Synchronization
import Testing

/// A cell with a watch, which records that the watch was cancelled.
private struct Cells: StartableModule, EffectfulModule {
    struct State: ModuleState {
        var count = 0
        var cut: [UInt64] = []
    }

    enum Action: ModuleAction {
        case counted, awaited
    }

    enum Internal: ModuleAction {
        case cut(version: UInt64)
    }

    func begin(_ start: NoFields) -> State { State() }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .counted:
            state.count += 1
            return .none
        case .awaited:
            return .run(id: "wait") { context in try await context.sleep(for: .seconds(3_600)) }
        }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .cut(let version): state.cut.append(version)
        }
        return .none
    }

    func interrupted(after version: UInt64) -> Internal? { .cut(version: version) }
}

private struct Tissue: RootState {
    var cells = Instances<Cells.State>()

    static let modules: Modules = [Cells().at(\.cells)]
}

/// Ids, names and keys that are equal in Swift.
@Suite struct TwinTests {
    /// Pairs of texts: two spellings of a word, and two spellings of a word that begins with a
    /// mark. The slash before the mark combines with it.
    static let twins = [
        ("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("\u{301}\u{E9}", "\u{301}e\u{301}"),
    ]

    @Test(arguments: twins)
    func `an action reaches the instance of its own id`(twin: (String, String)) async throws {
        let core = try Core(Tissue())
        let told = Locked<[Int]>([])
        for id in [twin.0, twin.1] { try await core.apply(Cells.start(.init()).to(id)) }
        try core.child(Cells.self, twin.1).observe { old, new in
            if old != nil { told.withLock { $0.append(new?.count ?? -1) } }
        }
        try await core.apply(Cells.Action.counted.to(twin.0))
        try await core.apply(Cells.Action.counted.to(twin.1))
        try await core.apply(Cells.Action.counted.to(twin.1))
        try await core.apply(Cells.stop.to(twin.0))
        let state = try await core.apply(Cells.Action.counted.to(twin.1)).state
        #expect(state.cells.count == 1)
        #expect(state.cells[twin.1]?.count == 3)
        #expect(told.withLock { $0 } == [1, 2, 3])
    }

    @Test(arguments: twins)
    func `an effect is cancelled by its own id, or with its own instance`(
        twin: (String, String)
    ) async throws {
        let core = try Core(Tissue())
        let effects = try #require(core.effectRunner)
        func running() -> [ExactText] { effects.runningEffects.map { ExactText($0.id) } }
        for id in [twin.0, twin.1] {
            try await core.apply(Cells.start(.init()).to(id))
            try await core.apply(Cells.Action.awaited.to(id))
        }
        // When the next action is applied, the effects of the earlier actions have begun.
        try await core.apply(Cells.Action.counted.to(twin.0))
        #expect(running() == [twin.0, twin.1].map { ExactText("cells/\($0)/wait") })
        #expect(!effects.cancel(id: "cells/\(twin.0)/other"))
        #expect(!effects.cancelEverywhere(id: "cells/\(twin.0)/other"))
        #expect(effects.cancelEverywhere(id: "cells/\(twin.1)/wait"))
        #expect(
            effects.runningEffects.filter { !$0.isCancelled }.map(\.id) == ["cells/\(twin.0)/wait"]
        )
        #expect(
            effects.runningEffects.first { !$0.isCancelled }?.address.instance?.utf8.count
                == twin.0.utf8.count
        )
        try await core.apply(Cells.stop.to(twin.1))
        try await core.apply(Cells.Action.counted.to(twin.0))
        #expect(effects.runningEffects.contains { !$0.isCancelled })
        try await core.apply(Cells.stop.to(twin.0))
        await effects.waitUntilIdle()
    }

    @Test(arguments: twins)
    func `an instance gets the report of its own effect after a restart`(twin: (String, String))
        async throws
    {
        let core = try Core(Tissue())
        for id in [twin.0, twin.1] { try await core.apply(Cells.start(.init()).to(id)) }
        let address = SliceAddress(module: "cells", SliceKey(instance: twin.1))
        core.resume(
            [PendingEffects.Entry(version: 7, slice: address.path, onRestart: .reported)],
            pastAction: { _ in nil },
            report: { _, _ in }
        )
        let state = try await core.apply(Cells.Action.counted.to(twin.0)).state
        #expect(state.cells[twin.1]?.cut == [7])
        #expect(state.cells[twin.0]?.cut == [])
    }

    @Test(arguments: twins)
    func `names of streams are distinguished by their bytes`(twin: (String, String)) throws {
        let (one, other) = twin
        func told(_ recipients: Recipients) throws -> [Bool] {
            let audience = try #require(Audience(recipients, emitter: one))
            return [one, other, nil].map(audience.includes)
        }
        #expect(try told(.emitter) == [true, false, false])
        #expect(try told(.allExcludingEmitter) == [false, true, true])
        #expect(try told(.authorized(to: [ExactText(other)])) == [false, true, false])
        #expect(Audience(.emitter, emitter: one) != Audience(.emitter, emitter: other))
        #expect(
            Recipients.authorized(to: [ExactText(one)])
                != Recipients.authorized(to: [ExactText(other)])
        )
    }

    @Test(arguments: twins)
    func `addresses and keys are distinguished by their bytes`(twin: (String, String)) {
        let addresses = [
            SliceAddress(module: "cells", SliceKey(instance: twin.0)),
            SliceAddress(module: "cells", SliceKey(instance: twin.1)),
            SliceAddress(module: "cells"),
            SliceAddress(module: twin.0), SliceAddress(module: twin.1),
        ]
        let keys = [
            IdempotencyKey(key: twin.0), IdempotencyKey(key: twin.1),
            IdempotencyKey(principal: twin.0, key: "a"),
            IdempotencyKey(principal: twin.1, key: "a"),
        ]
        for (index, address) in addresses.enumerated() {
            #expect(addresses.filter { $0 == address }.count == 1, "\(index)")
        }
        #expect(Set(addresses).count == addresses.count)
        #expect(Set(keys).count == keys.count)
    }
}
