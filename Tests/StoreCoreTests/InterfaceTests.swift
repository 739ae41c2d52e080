import StoreCore
import StoreTesting
import Testing

/// Modules behind interfaces, and the actions that a module's effects and presenters may dispatch.
@Suite struct InterfaceTests {
    // The part that other modules see

    enum Lamp: StartableInterface, SharingInterface {
        struct State: ModuleState { var brightness: Int }
        struct Start: Codable, Equatable, Sendable { let brightness: Int }
        enum Action: ModuleAction { case dimmed(by: Int) }
        typealias SharedValue = Bool
    }

    // The part that only the program sees, through `Lamp.module`

    fileprivate struct LampModule: StartableModule, SharingModule {
        typealias Interface = Lamp
        enum UI: ModuleAction { case touched }
        enum Internal: ModuleAction { case flickered }

        func begin(_ start: Lamp.Start) -> State { State(brightness: start.brightness) }
        func share(_ state: State) -> Bool { state.brightness > 0 }
        func reduce(_ state: inout State, _ action: Lamp.Action) {
            switch action {
            case .dimmed(let step): state.brightness -= step
            }
        }
        func reduce(_ state: inout State, ui action: UI) { state.brightness = 100 }
        func reduce(_ state: inout State, internal action: Internal) { state.brightness = 1 }
    }

    /// Another module, which is its own interface.
    private struct Desk: EffectfulModule {
        struct State: ModuleState {
            var isLit = Shared<Bool>()
            var refusal = ""
        }
        enum Action: ModuleAction {
            case awaited, sent, tapped
            case refused(String)
        }

        func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
            switch action {
            case .awaited:
                return .run { context in
                    do {
                        try await context.dispatch(LampModule.Internal.flickered)
                    } catch {
                        try await context.dispatch(Action.refused("\(error)"))
                    }
                }
            case .sent: return .run { $0.send(LampModule.UI.touched, file: "Desk.swift", line: 7) }
            case .tapped: return .none
            case .refused(let reason):
                state.refusal = reason
                return .none
            }
        }
    }

    private struct DeskPresenter: Presenter {
        func stateDidUpdate(
            from old: Desk.State?,
            to new: Desk.State?,
            _ context: PresenterContext
        ) {
            guard old?.isLit.value == true, new?.isLit.value == false else { return }
            context.dispatch(LampModule.Internal.flickered, file: "DeskPresenter.swift", line: 3)
        }
    }

    private struct LampPresenter: Presenter {
        func stateDidUpdate(
            from old: Lamp.State?,
            to new: Lamp.State?,
            _ context: PresenterContext
        ) {
            if new?.brightness == 13 { context.dispatch(LampModule.Internal.flickered) }
        }
    }

    private struct Room: RootState {
        var lamp: Lamp.State?
        var desk = Desk.State()

        static let modules: Modules = [
            Lamp.module.at(\.lamp).presented(by: LampPresenter()),
            Desk().at(\.desk).reading(\Desk.State.isLit, of: Lamp.self)
                .presented(by: DeskPresenter()),
        ]
    }

    private let follower = RecordingFollower()

    private func core() throws -> Core<Room> {
        var configuration = CoreConfiguration<Room>()
        configuration.follower = follower
        return try Core(
            Room(),
            runner: EffectRunner(dependencies: .unprepared),
            configuration: configuration
        )
    }

    private func end(of action: Desk.Action, in core: Core<Room>) async throws -> Room {
        let watch = EffectWatch()
        _ = try await core.apply(action, watch: watch)
        await withCheckedContinuation { continuation in
            watch.whenDone { _ in continuation.resume() }
        }
        return try await core.apply(Desk.Action.tapped).state
    }

    @Test func `a module has its interface's name, start, actions and shared value`() async throws {
        let core = try core()
        #expect(Room.modules.map(\.name) == ["lamp", "desk"])
        #expect(LampModule.name == "lamp" && Lamp.module.at(\Room.lamp).name == "lamp")
        var room = try await core.apply(Lamp.start(.init(brightness: 3))).state
        #expect(room.lamp == Lamp.State(brightness: 3) && room.desk.isLit.value == true)
        room = try await core.apply(Lamp.Action.dimmed(by: 1)).state
        #expect(room.lamp == Lamp.State(brightness: 2))
        #expect(try await core.apply(Lamp.stop).state.lamp == nil)
        #expect(LampModule.start(.init(brightness: 3)) == Lamp.start(.init(brightness: 3)))
    }

    @Test func `an interface has a store of its own`() async throws {
        let core = try core()
        let lamp = try core.child(Lamp.self)
        let seen = Journaled<Lamp.State?>()
        lamp.observe { seen.add($1) }
        try await core.apply(Lamp.start(.init(brightness: 3)))
        lamp.dispatch(.dimmed(by: 2))
        try core.child(LampModule.self).dispatch(.touched)
        _ = try await core.apply(Desk.Action.tapped)
        #expect(seen.values.map { $0?.brightness } == [nil, 3, 1, 100])
    }

    @Test func `a test states the changes of a module behind its interface`() {
        let given = Given(LampModule(), Lamp.State(brightness: 3))
        given.when(.dimmed(by: 1)) { $0.brightness = 2 }
        given.when(.touched) { $0.brightness = 100 }
        given.when(LampModule.Internal.flickered) { $0.brightness = 1 }
    }

    @Test func `the mount of a module decides who may start it`() {
        let mount: Mount<Room> = Lamp.module.at(\.lamp)
        func access(_ mount: Mount<Room>) -> [LifecycleAccess] {
            mount.handlers.filter { [.start, .stop].contains($0.kind) }
                .map { mount.lifecycleAccess(to: $0) }
        }
        #expect(access(mount) == [.program, .program])
        #expect(access(mount.lifecycle(.everybody)) == [.everybody, .everybody])
        #expect(
            access(mount.lifecycle(start: .everybody, stop: .program)) == [.everybody, .program]
        )
    }

    @Test func `an effect that awaits another module's own action gets the reason`()
        async throws
    {
        let core = try core()
        try await core.apply(Lamp.start(.init(brightness: 3)))
        let room = try await end(of: .awaited, in: core)
        #expect(room.lamp?.brightness == 3 && core.droppedTotal == 1)
        #expect(room.desk.refusal.contains("dispatch a public action of 'lamp'"))
        let reason = try await follower.droppedActions.next().reason as? DispatchError
        #expect(reason?.code == .foreignAction)
        #expect(reason?.reason.contains("part of module 'desk'") == true)
    }

    @Test func `another module's own action is refused from a send or a presenter`() async throws {
        let core = try core()
        try await core.apply(Lamp.start(.init(brightness: 3)))
        var room = try await end(of: .sent, in: core)
        #expect(room.lamp?.brightness == 3)
        try await core.apply(Lamp.Action.dimmed(by: 3))
        room = try await core.apply(Desk.Action.tapped).state
        #expect(room.lamp?.brightness == 0 && core.droppedTotal == 2)
        for place in ["Desk.swift:7", "DeskPresenter.swift:3"] {
            let dropped = try await follower.droppedActions.next()
            let reason = dropped.reason as? DispatchError
            #expect(dropped.source.sourceLocation == place && reason?.code == .foreignAction)
        }
    }

    @Test func `a presenter of the module may dispatch the module's own actions`() async throws {
        let core = try core()
        try await core.apply(Lamp.start(.init(brightness: 14)))
        try await core.apply(Lamp.Action.dimmed(by: 1))
        #expect(try await core.apply(Desk.Action.tapped).state.lamp?.brightness == 1)
        #expect(core.droppedTotal == 0)
    }

    // A module that does not match its interface

    fileprivate struct DimLamp: StartableModule {
        typealias Interface = Lamp
        func begin(_ start: Lamp.Start) -> State { State(brightness: 0) }
        func reduce(_ state: inout State, _ action: Lamp.Action) {}
    }

    private struct DimRoom: RootState {
        var lamp: Lamp.State?
        var desk = Desk.State()

        static let modules: Modules = [
            DimLamp().at(\.lamp), Desk().at(\.desk).reading(\Desk.State.isLit, of: Lamp.self),
        ]
    }

    @Test func `a module that does not share its interface's value is refused`() {
        #expect(throws: ModuleError.sharesNothing("lamp", reader: "desk")) { try Core(DimRoom()) }
    }

    // Mounts with parts for the slice of another module

    private struct PlantState: ModuleState { var isLit = Shared<Bool>() }

    private struct StrayCopyRoom: RootState {
        var lamp: Lamp.State?
        var desk = Desk.State()

        static let modules: Modules = [
            Lamp.module.at(\.lamp),
            Desk().at(\.desk).reading(\PlantState.isLit, of: Lamp.self),
        ]
    }

    @Test func `a copy in the slice of another module is refused`() {
        #expect(throws: ModuleError.foreignCopy(of: "lamp", reader: "desk")) {
            try Core(StrayCopyRoom())
        }
    }

    private struct PresentedRoom: RootState {
        var lamp: Lamp.State?
        var desk = Desk.State()

        static let modules: Modules = [
            Lamp.module.at(\.lamp),
            Desk().at(\.desk).reading(\Desk.State.isLit, of: Lamp.self)
                .presented(by: LampPresenter()),
        ]
    }

    @Test func `a presenter of another module's state is refused`() {
        #expect(throws: ModuleError.foreignPresenter("LampPresenter", module: "desk")) {
            try Core(PresentedRoom())
        }
    }
}

extension InterfaceTests.Lamp {
    fileprivate static var module: some StartableModule<State> { InterfaceTests.LampModule() }
}
