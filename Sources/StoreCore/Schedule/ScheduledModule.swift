/// A module that declares timers. No action has to set a declared timer.
///
/// ```swift
/// extension Books: ScheduledModule {
///     var timers: [DeclaredTimer<Internal>] {
///         [.daily(at: TimeOfDay(hour: 3), id: "clean-up", .cleanedUp)]
///     }
/// }
/// ```
///
/// Each start of the store sets the declared timers that the schedule lacks, and removes timers
/// that an earlier program declared. If the rule or the action of a timer has changed, the start
/// sets the timer again. Only a module with a single slice that all clients share may declare
/// timers.
public protocol ScheduledModule<State>: Module {
    /// The timers of the module.
    var timers: [DeclaredTimer<Internal>] { get }
}

/// A timer that a ``ScheduledModule`` declares.
public struct DeclaredTimer<Action: ModuleAction>: Sendable {
    let request: TimerRequest

    private init(_ id: String, _ rule: TimerRule, _ missed: MissedTimer, _ action: Action) {
        request = TimerRequest(id: id, rule: rule, missed: missed, action: action)
    }

    /// Declares a timer that is due again and again.
    ///
    /// - Parameters:
    ///   - interval: the time between two actions, at least one second.
    ///   - id: the name of the timer, of 1 to 128 bytes, unique within the module.
    ///   - action: the action that the store dispatches.
    ///   - missed: the treatment of the due times that pass while no server runs.
    /// - Returns: the timer.
    public static func every(
        _ interval: Duration,
        id: String,
        _ action: Action,
        missed: MissedTimer = .once
    ) -> DeclaredTimer { DeclaredTimer(id, .every(interval), missed, action) }

    /// Declares a timer that is due each day, at a time in UTC.
    ///
    /// - Parameters:
    ///   - time: the time of the day, in UTC.
    ///   - id: the name of the timer, of 1 to 128 bytes, unique within the module.
    ///   - action: the action that the store dispatches.
    ///   - missed: the treatment of the due times that pass while no server runs.
    /// - Returns: the timer.
    public static func daily(
        at time: TimeOfDay,
        id: String,
        _ action: Action,
        missed: MissedTimer = .once
    ) -> DeclaredTimer { DeclaredTimer(id, .daily(time), missed, action) }
}

extension Core where State: RootState {
    /// Sets the declared timers that the schedule lacks, and removes timers that the program does
    /// not declare any more. Call this function after the modules have started with the store.
    package func setDeclaredTimers() {
        engine.enqueueTask { [machine, stateOwner] engine in
            guard let machine, let runner = engine.ports.effects else { return }
            for action in machine.timerDeclarationActions(
                in: stateOwner.current,
                runner.dependencies
            ) {
                let source = ActionSource(sourceLocation: "StoreCore/schedule")
                engine.dispatchProgramAction(action, from: source)
            }
        }
    }
}

extension ModuleMachine {
    /// Returns the actions that set and remove declared timers.
    fileprivate func timerDeclarationActions(in state: Root, _ dependencies: Dependencies)
        -> [any Action]
    {
        guard let scheduleLedger, let workCodec, let now = try? dependencies.now else { return [] }
        let schedule = scheduleLedger.place.read(state)
        var actions: [any Action] = []
        var declaredNames: Set<ExactText> = []
        for mount in modules {
            let address = SliceAddress(module: mount.name)
            for request in mount.boundModule?.declaredTimers ?? [] {
                guard let text = try? workCodec.text(of: request.action) else { continue }
                let name = TimerName.name(of: request.id, at: address)
                declaredNames.insert(ExactText(name))
                let entry = Schedule.Entry(
                    slice: address.path,
                    owner: nil,
                    id: request.id,
                    due: request.rule.firstDue(after: now),
                    interval: request.rule.intervalNanoseconds,
                    missed: request.missed,
                    version: 0,
                    isDeclared: true,
                    kind: "internal",
                    action: text
                )
                if let old = schedule[name], old.isSameTimer(as: entry, request.rule) { continue }
                actions.append(Schedule.Internal.declared(timer: name, entry: entry))
            }
        }
        for (name, entry) in schedule.table.members
        where entry.isDeclared == true && !declaredNames.contains(ExactText(name)) {
            actions.append(Schedule.Internal.cancelled(timer: name))
        }
        return actions
    }

    /// Checks the declared timers of all modules.
    ///
    /// - Throws: ``ModuleError`` if a module cannot declare a timer.
    static func checkDeclaredTimers(
        of modules: Root.Modules,
        _ schedule: ScheduleLedger<Root>?
    ) throws(ModuleError) {
        // A module that is tested alone belongs to a root state without a list of modules, and its
        // slice may be absent.
        for mount in modules where !Root.modules.isEmpty {
            let requests = mount.boundModule?.declaredTimers ?? []
            guard !requests.isEmpty else { continue }
            let place = mount.slicePlace
            guard place.cardinality == .one, place.ownership == .everybody else {
                throw .declaresTimersOfManySlices(mount.name)
            }
            guard schedule != nil else { throw .noSchedule(mount.name) }
            for request in requests {
                guard let fault = request.fault else { continue }
                throw .invalidTimer(request.id, module: mount.name, reason: fault)
            }
        }
    }
}

extension Schedule.Entry {
    /// Returns true if a declared timer needs no change.
    fileprivate func isSameTimer(as other: Schedule.Entry, _ rule: TimerRule) -> Bool {
        guard isDeclared == true, kind == other.kind, action == other.action,
            interval == other.interval, missed == other.missed
        else { return false }
        guard case .daily = rule, let interval else { return true }
        // A daily timer is always due at the same time of the day.
        return due.subtractingClamped(other.due) % interval == 0
    }
}
