import StoreCore
import StorePatterns
import StoreTesting
import Testing

/// The sessions to which presenters present.
@Suite struct PresentationTests {
    private struct Room: StartableModule {
        struct State: ModuleState { var knocks = 0 }
        enum UI: ModuleAction { case knocked }

        func begin(_ start: NoFields) -> State { State() }

        func begin(_ start: NoFields, over old: State) -> State { State() }
        func reduce(_ state: inout State, ui action: UI) { state.knocks += 1 }
    }

    private struct RoomPresenter: ViewPresenter {
        static let view = "room"

        func stateDidUpdate(from old: Room.State?, to new: Room.State?, _ context: PresenterContext)
        {
            if old == nil, new != nil { context.navigation.present("room") }
            if old != nil, new == nil { context.withdraw("room") }
        }
    }

    private struct House: RootState {
        var room: Room.State?
        var sessions = Sessions.State()

        static let modules: Modules = [
            Room().at(\.room).presented(by: RoomPresenter()),
            Sessions().at(\.sessions),
        ]
    }

    private struct Tent: RootState {
        var room: Room.State?

        static let modules: Modules = [Room().at(\.room).presented(by: RoomPresenter())]
    }

    /// Presents a view while the disk is full.
    private struct LatePresenter: ViewPresenter {
        static let view = "room"
        static let journal = FaultyJournal()
        static let outcomes = AsyncStream.makeStream(of: RouteOutcome.self)

        func stateDidUpdate(from old: Room.State?, to new: Room.State?, _ context: PresenterContext)
        {
            guard old == nil, new != nil else { return }
            Self.journal.setFailure(.storageFull)
            context.navigation.present("room") { Self.outcomes.continuation.yield($0) }
        }
    }

    private struct Attic: RootState {
        var room: Room.State?
        var sessions = Sessions.State()

        static let modules: Modules = [
            Room().at(\.room).presented(by: LatePresenter()),
            Sessions().at(\.sessions),
        ]
    }

    private final class Outcomes: Completion {
        func complete(_ outcome: Outcome) {}
    }

    private let journal = FaultyJournal()

    private func house(_ state: House = House()) throws -> Core<House> {
        var configuration = CoreConfiguration<House>()
        configuration.journal = journal
        let core = try Core(
            state,
            runner: EffectRunner(dependencies: .unprepared),
            configuration: configuration
        )
        for name in ["ada", "bob"] { core.dispatch(Sessions.Internal.began(session: name)) }
        return core
    }

    private func send(_ action: any Action, as session: String, to core: Core<House>) throws {
        let member = EnvelopeMember(action: action, type: "\(action)")
        try core.engine.offer(
            Envelope(members: [member], session: session, completion: Outcomes())
        )
    }

    private func guests(_ core: Core<House>) async throws -> [String] {
        let state = try await core.apply(Sessions.Internal.withdrawn(view: "none")).state
        return state.sessions.sessions.filter { $0.value.shows("room") }.keys.sorted()
    }

    @Test func `a view is presented to the session that asked for it`() async throws {
        let core = try house()
        try send(Room.start, as: "ada", to: core)
        #expect(try await guests(core) == ["ada"])
        _ = try await core.apply(Room.stop)
        #expect(try await guests(core) == [])
        _ = try await core.apply(Room.start)
        #expect(try await guests(core) == [Sessions.shared])
    }

    @Test func `a session that starts a started module sees it once`() async throws {
        let core = try house()
        for session in ["ada", "bob", "ada"] { try send(Room.start, as: session, to: core) }
        #expect(try await guests(core) == ["ada", "bob"])
    }

    @Test func `a failed start presents nothing`() async throws {
        let core = try house()
        journal.setFailure(.storageFull)
        try send(Room.start, as: "ada", to: core)
        journal.setFailure(nil)
        try send(Room.start, as: "bob", to: core)
        #expect(try await guests(core) == ["bob"])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a presenter gets the answer that its view was dropped`() async throws {
        var configuration = CoreConfiguration<Attic>()
        configuration.journal = LatePresenter.journal
        let runner = EffectRunner(dependencies: .unprepared)
        let core = try Core(Attic(), runner: runner, configuration: configuration)
        _ = try await core.apply(Room.start)
        var outcomes = LatePresenter.outcomes.stream.makeAsyncIterator()
        #expect(await outcomes.next() == .dropped)
        LatePresenter.journal.setFailure(nil)
        let state = try await core.apply(Sessions.Internal.withdrawn(view: "none")).state
        #expect(state.sessions[Sessions.shared]?.shows("room") == false)
    }

    @Test
    func `a module that starts with the store is presented to all sessions if none shows it`()
        async throws
    {
        var state = House()
        state.room = Room.State()
        let core = try house(state)
        #expect(try await guests(core) == [Sessions.shared])
        let seen = try await core.apply(Sessions.Internal.withdrawn(view: "none"))
        let again = try house(seen.state)
        // Only the beginnings of the two sessions come before this action.
        #expect(try await again.apply(Room.UI.knocked).version == seen.version + 3)
    }

    @Test func `an action of a view is refused if the view is not presented`() async throws {
        let core = try house()
        try send(Room.start, as: "ada", to: core)
        let error = await #expect(throws: DispatchError.self) {
            try await core.apply(Room.UI.knocked)
        }
        #expect(error?.code == .refused)
        try send(Room.UI.knocked, as: "ada", to: core)
        _ = try await core.apply(Room.start)
        #expect(try await core.apply(Room.UI.knocked).state.room?.knocks == 1)
    }

    @Test func `a presenter that presents needs sessions`() {
        #expect(throws: ModuleError.missingNeededModule("sessions", by: "room")) {
            try Core(Tent())
        }
    }
}
