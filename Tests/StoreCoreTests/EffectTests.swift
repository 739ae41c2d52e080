import StoreCore
import StorePatterns
import StorePlatform
import Synchronization
import Testing

@Suite struct EffectTests {
    /// Waits for a state for which `isMeant` returns true.
    private func state(
        of core: Core<SampleState>,
        where isMeant: @escaping @Sendable (SampleState) -> Bool
    ) async -> SampleState {
        await withCheckedContinuation { continuation in
            let waiting = Locked<CheckedContinuation<SampleState, Never>?>(continuation)
            core.observe { state in
                guard isMeant(state) else { return }
                waiting.withLock { waiting in
                    waiting?.resume(returning: state)
                    waiting = nil
                }
            }
        }
    }

    @Test func `an effect's action is applied to the newest slice`() async throws {
        let core = try Core(SampleState())
        try await core.apply(Home.start)
        try await core.apply(Home.Action.refreshed(after: 30))
        try await core.apply(Tally.Action.increased)
        try await core.apply(Home.Internal.didTapOnMovieCell(title: "Movie 1"))
        let state = await state(of: core) { $0.home?.titles == ["Fresh"] }
        #expect(state.tally.count == 1)
        #expect(state.home?.selected == "Movie 1")
    }

    @Test func `a cancelled effect dispatches nothing any more`() async throws {
        let core = try Core(SampleState())
        try await core.apply(Home.start)
        try await core.apply(Home.Action.refreshed(after: 5))
        try await core.apply(Home.Action.cancelled)
        await core.effectRunner?.waitUntilIdle()
        #expect(try await core.apply(Tally.Action.increased).state.home?.titles.count == 11)
    }

    @Test func `an effect ends with its module, also if the module begins anew`() async throws {
        let core = try Core(SampleState())
        try await core.apply(Home.start)
        try await core.apply(Home.Action.refreshed(after: 5))
        try await core.apply(Home.start)
        await core.effectRunner?.waitUntilIdle()
        #expect(try await core.apply(Tally.Action.increased).state.home?.titles.count == 11)
    }

    @Test func `a wait for an action includes its reactions and its effects`()
        async throws
    {
        let core = try Core(SampleState())
        try await core.apply(Home.start)
        core.add(
            reaction: .onDispatch(of: Tally.Action.self) { _, _, _ in
                Home.Action.refreshed(after: 20)
            }
        )
        let watch = EffectWatch()
        _ = try await core.apply(Tally.Action.increased, watch: watch)
        let result = await withCheckedContinuation { continuation in
            watch.whenDone { continuation.resume(returning: $0) }
        }
        #expect(result == nil, "the results of others are not its own")
        let state = try await core.apply(Tally.Action.increased)
        #expect(state.state.home?.titles == ["Fresh"])
    }

    @Test func `effects of a restart run in the new slice, and old effects end`()
        async throws
    {
        let core = try Core(SampleState())
        try await core.apply(Trailer.start(.init(seconds: 3_600)))
        try await core.apply(Trailer.start(.init(seconds: 0)))
        await core.effectRunner?.waitUntilIdle()
        let state = try await core.apply(Tally.Action.increased).state
        #expect(state.trailer == Trailer.State(seconds: 0, isOver: true))
    }

    @Test func `an effect replaces the running effect of the same id`() async throws {
        let core = try Core(SampleState())
        try await core.apply(Home.start)
        try await core.apply(Home.Action.refreshed(after: 60_000))
        try await core.apply(Home.Action.refreshed(after: 1))
        await core.effectRunner?.waitUntilIdle()
        let state = try await core.apply(Tally.Action.increased)
        #expect(state.state.home?.titles == ["Fresh"])
        // The five versions are the start, two refreshes, one result, and this action.
        #expect(state.version == 5)
    }

    @Test func `an effect that begins after its waiter gave up is cancelled at once`()
        async throws
    {
        let core = try Core(SampleState())
        let watch = EffectWatch()
        core.effectRunner?.cancelAll(awaitedBy: watch)
        _ = try await core.apply(Trailer.start(.init(seconds: 3_600)), watch: watch)
        let result = await withCheckedContinuation { continuation in
            watch.whenDone { result in
                continuation.resume(returning: result.map { $0.map { _ in () } })
            }
        }
        #expect(throws: CancellationError.self) { try result?.get() }
        #expect(core.effectRunner?.runningEffects.contains { !$0.isCancelled } == false)
    }
}
