import StoreCore
import StorePatterns
import StoreTesting
import Testing

@Suite struct WorldTests {
    @Test func `a seed always gives the same numbers`() {
        let random = SeededRandom(seed: 0)
        // The first three numbers of the reference (https://prng.di.unimi.it/splitmix64.c).
        #expect(random.next() == 0xE220_A839_7B1D_CDAF)
        #expect(random.next() == 0x6E78_9E6A_A1B9_65F4)
        #expect(random.next() == 0x06C4_5D18_8009_454F)
    }

    @Test func `identifiers are counted, and look like any other`() {
        let ids = CountedUUIDs()
        #expect(ids.next() == "00000000-0000-0000-0000-000000000001")
        #expect(ids.next() == "00000000-0000-0000-0000-000000000002")
        #expect(CountedUUIDs.uuid(.max) == "00000000-0000-0000-0000-ffffffffffff")
    }

    @Test func `in a controlled world nothing else is prepared`() throws {
        enum Service: DependencyKey {
            static let live = 1
        }
        let world = Dependencies.controlled(by: ManualClock(timeOfDay: 5))
        #expect(try world.now == 5)
        #expect(throws: UnpreparedDependency.self) { try world[Service.self] }
    }

    @Test func `a recorder stands for an observer`() async throws {
        let core = try Core(AppState())
        let states = Recorder<AppState>()
        core.observe(with: states.record)
        try await core.apply(Tally.Action.increased)
        #expect(try await states.next().tally.count == 0)
        #expect(try await states.next().tally.count == 1)
    }

    @Test func `a recorder stands for a middleware`() throws {
        let core = try Core(AppState())
        let seen = Recorder<(AppState, any Action)>()
        core.onAction { seen.record(($0, $1)) }
        core.dispatch(Tally.Action.increased)
        #expect(seen.values.first?.0.tally.count == 0)
        #expect(seen.values.first?.1 as? Tally.Action == .increased)
    }

    @Test func `a recorder stands for a reducer`() {
        let reduced = Recorder<(Int, any Action)>()
        let core = Core(state: 7) { (state: inout Int, action: any Action) in
            reduced.record((state, action))
            state += 1
        }
        core.dispatch(Tally.Action.increased)
        core.dispatch(Tally.Action.increased)
        #expect(reduced.values.map(\.0) == [7, 8])
    }

    @Test func `a recorder stands for a dispatcher`() async throws {
        let said = Recorder<Search.Internal>()
        let dispatcher = AnyDispatcher(dispatch: said.record)
        let found = dispatcher.map { Search.Internal.found(titles: [$0]) }
        try await found.dispatch("A")
        try await found.dispatch("B")
        #expect(said.values == [.found(titles: ["A"]), .found(titles: ["B"])])
    }

    @Test func `a recorder that waits in vain reports it`() async throws {
        let nothing = Recorder<Int>()
        let error = await #expect(throws: NothingRecorded.self) {
            try await nothing.next(within: .milliseconds(1))
        }
        #expect(error?.earlierValueCount == 0)
        nothing.record(3)
        #expect(try await nothing.next() == 3)
    }
}
