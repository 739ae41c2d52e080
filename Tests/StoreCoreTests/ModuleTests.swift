import StoreCore
import StorePatterns
import StorePlatform
import Synchronization
import Testing

@Suite struct ModuleTests {
    /// Returns the state after these actions.
    private func state(after actions: (any Action)...) async throws -> SampleState {
        let core = try Core(SampleState())
        var state = SampleState()
        for action in actions { state = try await core.apply(action).state }
        return state
    }

    @Test func `an action reaches the slice of its module, and no other`() async throws {
        let state = try await state(
            after: Tally.Action.stepChanged(to: 5),
            Tally.Action.increased
        )
        #expect(state.tally == Tally.State(count: 5, step: 5))
        #expect(state.home == nil)
        #expect(state.workshop == Workshop.State())
    }

    @Test func `the changes of a reducer that refuses are dropped`() async throws {
        let core = try Core(SampleState())
        #expect(
            await refusal { try await core.apply(Tally.Action.stepChanged(to: 0)) }
                == Refusal(reason: "A step of 0 leads nowhere.")
        )
        #expect(try await core.apply(Tally.Action.increased).state.tally.count == 1)
    }

    @Test func `a module is absent until it is started, and again when it is stopped`() async throws
    {
        let core = try Core(SampleState())
        #expect(await refusal { try await core.apply(Home.Internal.loaded(titles: [])) } != nil)
        let started = try await core.apply(Home.start).state
        #expect(started.home?.titles.count == 11)
        #expect(started.home?.titles.last == "Movie 10")
        #expect(try await core.apply(Home.stop).state.home == nil)
        #expect(await refusal { try await core.apply(Home.stop) } != nil)
    }

    @Test func `a module may refuse to begin`() async throws {
        let core = try Core(SampleState())
        #expect(
            await refusal { try await core.apply(MovieCard.start(.init(title: ""))) }
                == Refusal(reason: "A card has a title.")
        )
    }

    @Test func `instances have slices of their own`() async throws {
        let state = try await state(
            after: Cards.start(.init(title: "Seven")).to("7"),
            Cards.start(.init(title: "Two")).to("2"),
            Cards.Action.liked.to("2")
        )
        #expect(state.cards.ids == ["2", "7"])
        #expect(state.cards["2"]?.likes == 1)
        #expect(state.cards["7"]?.likes == 0)
    }

    @Test(arguments: ["", "events", "ui", String(repeating: "x", count: 129)])
    func `an instance has an id that has a place in paths`(id: String) async throws {
        let core = try Core(SampleState())
        #expect(
            await refusal { try await core.apply(Cards.start(.init(title: "One")).to(id)) } != nil
        )
        let longest = String(repeating: "x", count: 128)
        let state = try await core.apply(Cards.start(.init(title: "One")).to(longest)).state
        #expect(state.cards.ids == [longest])
    }

    @Test func `a dispatchable changes the slice of the module that lists it`() async throws {
        #expect(try await state(after: Reset()).workshop.name == "")
    }

    @Test func `a child is called for its own slice alone, with the slice before`() async throws {
        let core = try Core(SampleState())
        let seen = Locked<[String]>([])
        let home = try core.child(Home.self)
        let end = home.observe { old, new in
            let text = "\(old?.titles.count ?? -1)>\(new?.titles.count ?? -1)"
            seen.withLock { $0.append(text) }
        }
        try await core.apply(Home.start)
        try await core.apply(Tally.Action.increased)
        try await core.apply(Home.start)
        home.dispatch(.loaded(titles: ["One"]))
        try await core.apply(Home.stop)
        end()
        try await core.apply(Home.start)
        #expect(seen.withLock { $0 } == ["-1>-1", "-1>11", "11>1", "1>-1"])
    }

    @Test func `a child's stream has the slice as it is, and then the newest`() async throws {
        let core = try Core(SampleState())
        var slices = try core.child(Tally.self).values.makeAsyncIterator()
        #expect(await slices.next() == Tally.State())
        try await core.apply(Tally.Action.increased)
        try await core.apply(Tally.Action.increased)
        #expect(await slices.next() == Tally.State(count: 2, step: 1))
    }

    @Test(arguments: [
        (Recipients.all, ["a", "b", "nobody"]), (.emitter, ["a"]),
        (.allExcludingEmitter, ["b", "nobody"]), (.authorized(to: ["b"]), ["b"]),
    ])
    func `the streams that were selected get the change, and no others`(
        recipients: Recipients,
        told: [String]
    )
        async throws
    {
        let core = try Core(SampleState())
        let tally = try core.child(Tally.self)
        let heard = Locked<[String]>([])
        for name in ["a", "b", nil] as [String?] {
            tally.observe(as: name) { old, _ in
                if old != nil { heard.withLock { $0.append(name ?? "nobody") } }
            }
        }
        tally.dispatch(.increased, recipients: recipients, as: "a")
        #expect(heard.withLock { $0 } == told)
        heard.withLock { $0 = [] }
        tally.dispatch(.increased)
        #expect(heard.withLock { $0 } == ["a", "b", "nobody"])
    }

    @Test func `a presenter leads from one module to another at every request`() async throws {
        let core = try Core(SampleState())
        let titles = Locked<[String?]>([])
        try core.child(MovieCard.self).observe { _, new in
            titles.withLock { $0.append(new?.title) }
        }
        try await core.apply(Home.start)
        try await core.apply(Home.Internal.didTapOnMovieCell(title: "Movie 3"))
        try await core.apply(MovieCard.stop)
        try await core.apply(Home.Internal.didTapOnMovieCell(title: "Movie 4"))
        #expect(titles.withLock { $0 } == [nil, "Movie 3", nil, "Movie 4"])
    }

    @Test func `a reader gets the owner's shared value in the step that changed it`() async throws {
        let core = try Core(SampleState())
        let seen = Locked<[Int?]>([])
        try core.child(Window.self).observe { _, new in
            seen.withLock { $0.append(new?.tally.value) }
        }
        try await core.apply(Tally.Action.increased)
        try await core.apply(Window.start)
        let state = try await core.apply(Tally.Action.increased).state
        #expect(state.window?.tally.value == 2)
        try await core.apply(Tally.Action.stepChanged(to: 4))
        #expect(seen.withLock { $0 } == [nil, 1, 2])
    }

    @Test func `a child of a module that is not mounted is refused by name`() throws {
        struct Tallies: RootState {
            var tally = Tally.State()
            static let modules: Modules = [Tally().at(\.tally)]
        }
        let core = try Core(Tallies())
        #expect(throws: ModuleError.notMounted("home")) { try core.child(Home.self) }
        #expect(throws: Never.self) { try core.child(Tally.self) }
    }

    @Test func `modules that don't fit together are named`() throws {
        struct Twice: RootState {
            var one = Tally.State()
            var two = Tally.State()
            static let modules: Modules = [Tally().at(\.one), Tally().at(\.two)]
        }
        struct Strange: Module {
            typealias State = Tally.State
            static let dispatchables: [any Dispatchable.Type] = [Reset.self]
        }
        struct Foreign: RootState {
            var strange = Tally.State()
            static let modules: Modules = [Strange().at(\.strange)]
        }
        #expect(throws: ModuleError.nameTwice("tally")) { try Core(Twice()) }
        #expect(throws: ModuleError.foreignDispatchable("Reset", module: "strange")) {
            try Core(Foreign())
        }
    }
}
