import StoreCore
import StorePatterns
import StoreTesting
import Testing

/// A module whose actions set timers.
private struct Kettle: EffectfulModule {
    struct State: ModuleState {
        var isOn = false
        var whistles = 0
    }

    enum Action: ModuleAction {
        case switchedOn(seconds: Int)
        case switchedOff
        case repeated
    }

    enum Internal: ModuleAction { case whistled }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .switchedOn(let seconds):
            state.isOn = true
            return .after(.seconds(seconds), id: "boiling", Internal.whistled)
        case .switchedOff:
            state.isOn = false
            return .cancel(id: "boiling")
        case .repeated: return .every(.seconds(60), id: "boiling", Internal.whistled)
        }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        state.isOn = false
        state.whistles += 1
        return .none
    }
}

private struct Kitchen: RootState {
    var kettle = Kettle.State()
    var schedule = Schedule.State()

    static let modules: Modules = [Kettle().at(\.kettle), Schedule().at(\.schedule)]
}

private struct Bare: RootState {
    var kettle = Kettle.State()

    static let modules: Modules = [Kettle().at(\.kettle)]
}

/// A module with slices of sessions, which cannot declare timers.
private struct Alarm: ScheduledModule {
    struct State: ModuleState { var rings = 0 }
    enum Action: ModuleAction { case set }
    enum Internal: ModuleAction { case rang }

    var interval = Duration.seconds(10)
    var timers: [DeclaredTimer<Internal>] { [.every(interval, id: "ring", .rang)] }

    func reduce(_ state: inout State, _ action: Action) {}
    func reduce(_ state: inout State, internal action: Internal) { state.rings += 1 }
}

private struct Lonely: RootState {
    var alarm = Alarm.State()
    static let modules: Modules = [Alarm().at(\.alarm)]
}

private struct Crowded: RootState {
    var alarm = PerSession(Alarm.State())
    var schedule = Schedule.State()
    static let modules: Modules = [Alarm().at(\.alarm), Schedule().at(\.schedule)]
}

private struct Hasty: RootState {
    var alarm = Alarm.State()
    var schedule = Schedule.State()
    static let modules: Modules = [
        Alarm(interval: .milliseconds(10)).at(\.alarm), Schedule().at(\.schedule),
    ]
}

@Suite struct TimerTests {
    private let clock = ManualClock()
    private let failures = Failures()

    @Test func `a timer of a module alone is due when the clock reaches its time`() async {
        let store = TestStore(Kettle(), Kettle.State(), dependencies: .controlled(by: clock))
        await store.send(.switchedOn(seconds: 90)) { $0.isOn = true }
        await clock.advance(by: .seconds(89))
        await clock.advance(by: .seconds(1))
        await store.receive(.whistled) {
            $0.isOn = false
            $0.whistles = 1
        }
        await store.finish()
    }

    @Test func `a test states the actions of timers, and not the schedule`() async {
        let store = TestStore(Kitchen(), dependencies: .controlled(by: clock))
        await store.send(Kettle.Action.repeated)
        await clock.advance(by: .seconds(120))
        await store.receive(Kettle.Internal.whistled) { $0.kettle.whistles = 1 }
        await store.receive(Kettle.Internal.whistled) { $0.kettle.whistles = 2 }
        await store.send(Kettle.Action.switchedOff)
        await clock.advance(by: .seconds(600))
        await store.finish()
    }

    @Test func `an unstated action of a timer is reported`() async {
        let store = TestStore(
            Kitchen(),
            dependencies: .controlled(by: clock),
            reporter: failures.reporter
        )
        await store.send(Kettle.Action.repeated)
        await clock.advance(by: .seconds(60))
        await store.finish()
        #expect(failures.take().contains { $0.contains("Kettle.Internal.whistled") })
    }

    @Test func `a reducer alone sets a timer`() {
        Given(Kitchen()).when(Kettle.Action.switchedOn(seconds: 5)) { $0.kettle.isOn = true }
    }

    @Test func `a state without a schedule refuses a timer, and says how to mend it`() throws {
        let machine = try ModuleMachine<Bare>()
        var state = Bare()
        let error = #expect(throws: TimerError.self) {
            try machine.reduce(&state, Kettle.Action.switchedOn(seconds: 1), as: nil, session: nil)
        }
        #expect(error == .noSchedule(module: "kettle"))
        #expect("\(error as Any)".contains("Schedule().at(\\.schedule)"))
        #expect(state.kettle.isOn == false)
        try machine.reduce(&state, Kettle.Action.switchedOff, as: nil, session: nil)
    }

    @Test func `a declared timer needs a schedule, one shared slice and a valid rule`() {
        #expect(throws: ModuleError.noSchedule("alarm")) { try ModuleMachine<Lonely>() }
        #expect(throws: ModuleError.declaresTimersOfManySlices("alarm")) {
            try ModuleMachine<Crowded>()
        }
        let error = #expect(throws: ModuleError.self) { try ModuleMachine<Hasty>() }
        #expect("\(error as Any)".contains("1 second at least"))
    }
}
