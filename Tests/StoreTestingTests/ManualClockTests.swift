import StoreCore
import StoreTesting
import Testing

@Suite struct ManualClockTests {
    /// Returns a task that sleeps for a time, and then records its name.
    private func sleeper(
        _ name: String,
        _ duration: Duration,
        _ clock: ManualClock,
        _ woken: Recorder<String>
    ) async -> Task<Void, any Error> {
        let count = clock.sleeperCount
        let task = Task {
            try await clock.sleep(for: duration)
            woken.record(name)
        }
        await clock.untilSleeping(count + 1)
        return task
    }

    @Test func `a deadline is reached by advancing to it, and not before`() async throws {
        let clock = ManualClock(timeOfDay: 1_000)
        let woken = Recorder<String>()
        let task = await sleeper("one", .seconds(1), clock, woken)
        await clock.advance(by: .seconds(1) - .nanoseconds(1))
        #expect(clock.sleeperCount == 1)
        await clock.advance(by: .nanoseconds(1))
        try await task.value
        #expect(woken.values == ["one"])
        #expect(clock.now.sinceStart == .seconds(1))
        #expect(clock.timeOfDay.now() == 1_000_001_000)
    }

    @Test func `a bounded advance stops at the last sleeper within its bound`() async throws {
        let clock = ManualClock()
        let woken = Recorder<String>()
        let tasks = [
            await sleeper("one", .seconds(1), clock, woken),
            await sleeper("two", .seconds(2), clock, woken),
        ]
        #expect(await clock.advance(by: .seconds(5), wakesMax: 1) == false)
        #expect(clock.now.sinceStart == .seconds(1))
        #expect(clock.nextDeadline?.sinceStart == .seconds(2))
        #expect(await clock.advance(by: .seconds(5), wakesMax: 1))
        #expect(clock.now.sinceStart == .seconds(6))
        for task in tasks { try await task.value }
    }

    @Test func `an advance stops if a store does not come to rest`() async {
        let clock = ManualClock()
        clock.addRestWaiter { false }
        #expect(await clock.advance(by: .seconds(1), wakesMax: 1) == false)
        #expect(clock.now.sinceStart == .zero)
    }

    @Test func `a cancelled sleeper wakes at once, by an error`() async {
        let clock = ManualClock()
        let task = await sleeper("one", .seconds(1), clock, Recorder())
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func `a deadline that is past is no sleep`() async throws {
        let clock = ManualClock()
        await clock.advance(by: .seconds(5))
        try await clock.sleep(for: .zero)
        try await clock.sleep(until: clock.now.advanced(by: .seconds(-1)))
    }

    @Test func `effects wake in the order of their deadlines, and go on before the next`() async {
        let clock = ManualClock()
        let woken = Recorder<String>()
        let store = TestStore(
            Sleepers(woken: woken),
            Sleepers.State(),
            dependencies: .controlled(by: clock)
        )
        await store.send(.slept(["c": 30, "a": 10, "b": 20]))
        #expect(clock.sleeperCount == 3)
        await clock.advance(by: .milliseconds(25))
        #expect(woken.values == ["a", "b", "a again"])
        await clock.run()
        #expect(woken.values == ["a", "b", "a again", "c", "b again", "c again"])
        #expect(clock.now.sinceStart == .milliseconds(40))
        await store.finish()
    }
}

/// Sleeps twice for each name: for the given time, and for 10 ms more.
private struct Sleepers: EffectfulModule {
    struct State: ModuleState {}

    enum Action: ModuleAction {
        case slept([String: Int])
    }

    let woken: Recorder<String>

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        guard case .slept(let times) = action else { return .none }
        return .run { [woken] context in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (name, milliseconds) in times {
                    group.addTask {
                        try await context.sleep(for: .milliseconds(milliseconds))
                        woken.record(name)
                        try await context.sleep(for: .milliseconds(10))
                        woken.record("\(name) again")
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
