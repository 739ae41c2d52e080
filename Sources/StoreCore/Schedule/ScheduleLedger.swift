import Synchronization

/// The check that a module's reducers set timers only in a state with a schedule. The check comes
/// before the reducer's changes are stored, so a refused action changes nothing.
final class TimerAdmission: Sendable {
    private let module: String
    private let isAllowed = Atomic(false)

    init(_ module: String) { self.module = module }

    func allow() { isAllowed.store(true, ordering: .relaxed) }

    /// Returns `effect` unchanged.
    ///
    /// - Throws: ``TimerError/noSchedule(module:)`` if the effect sets a timer.
    @inline(__always)
    func admit<State>(_ effect: Effect<State>) throws -> Effect<State> {
        if effect.isNone { return effect }
        try check(effect)
        return effect
    }

    private func check<State>(_ effect: Effect<State>) throws(TimerError) {
        guard effect.timerChanges.contains(where: \.isSet), !isAllowed.load(ordering: .relaxed)
        else { return }
        throw .noSchedule(module: module)
    }
}

/// Access to the slice of ``Schedule`` in a root state. The Core enters the timers of actions into
/// this slice.
struct ScheduleLedger<Root: RootState>: Sendable {
    let moduleIndex: Int
    let place: SinglePlace<Root, Schedule.State>

    /// Finds the schedule of a root state; `nil` if the state has none.
    init?(of modules: Root.Modules) {
        guard let found = Root.singlePlace(of: Schedule.self, in: modules) else { return nil }
        (moduleIndex, place) = found
    }
}

// The changes of timers, in the same version as the action that leads to these changes.

extension ModuleMachine {
    /// Sets and cancels the timers that a reducer has asked for.
    ///
    /// - Throws: ``TimerError`` if a timer cannot be set.
    func enterTimers(
        _ changes: [TimerChange],
        _ context: EditContext,
        _ state: inout Root,
        _ change: inout Change
    ) throws(TimerError) {
        let module = moduleNames[context.moduleIndex]
        guard let scheduleLedger else {
            // A cancellation of an effect needs no schedule.
            guard changes.contains(where: \.isSet) else { return }
            throw .noSchedule(module: module)
        }
        let address = SliceAddress(module: module, context.key)
        var schedule = scheduleLedger.place.read(state)
        let before = schedule
        for change in changes {
            switch change {
            case .cancel(let id): schedule.remove(TimerName.name(of: id, at: address))
            case .set(let request):
                let entry = try entry(of: request, at: address, context)
                schedule.set(entry, TimerName.name(of: request.id, at: address))
            }
        }
        writeSchedule(schedule, after: before, &state, &change)
    }

    private func entry(
        of request: TimerRequest,
        at address: SliceAddress,
        _ context: EditContext
    ) throws(TimerError) -> Schedule.Entry {
        if let fault = request.fault { throw .invalid(fault) }
        let type = "\(type(of: request.action))"
        guard let route = route(of: request.action), route.moduleIndex == context.moduleIndex,
            let kind = handler(of: route)?.kind, kind == .action || kind == .internal
        else { throw .foreignAction(type, module: address.module) }
        let text: String
        do { text = try workCodec?.text(of: request.action) ?? "" } catch {
            throw .unencodable(type: type, reason: "\(error)")
        }
        return Schedule.Entry(
            slice: address.path,
            owner: address.key.owner,
            id: request.id,
            due: request.rule.firstDue(after: context.origin.time),
            interval: request.rule.intervalNanoseconds,
            missed: request.missed,
            version: context.origin.version,
            isDeclared: nil,
            kind: kind == .internal ? "internal" : "action",
            action: text
        )
    }

    /// Removes the timers of slices that have begun or ended.
    func endTimers(_ keys: [SliceKey], of module: Int, _ state: inout Root, _ change: inout Change)
    {
        guard scheduleLedger != nil, !keys.isEmpty else { return }
        let prefixes = keys.map {
            TimerName.prefix(of: SliceAddress(module: moduleNames[module], $0))
        }
        endTimers(withPrefixes: prefixes, &state, &change)
    }

    /// Removes the timers of all slices of an owner.
    func endTimers(ofOwner owner: String, _ state: inout Root, _ change: inout Change) {
        endTimers(withPrefixes: [TimerName.prefix(ofOwner: owner)], &state, &change)
    }

    private func endTimers(
        withPrefixes prefixes: [String],
        _ state: inout Root,
        _ change: inout Change
    ) {
        guard let scheduleLedger else { return }
        var schedule = scheduleLedger.place.read(state)
        let before = schedule
        for prefix in prefixes { schedule.removeAll(withPrefix: prefix) }
        writeSchedule(schedule, after: before, &state, &change)
    }

    private func writeSchedule(
        _ schedule: Schedule.State,
        after before: Schedule.State,
        _ state: inout Root,
        _ change: inout Change
    ) {
        guard let scheduleLedger, schedule != before else { return }
        scheduleLedger.place.write(schedule, &state)
        change.changesState = true
        // All clients share the schedule, even if the slice of the timer has an owner.
        change.isVisibleToSenderOnly = false
        change.add(SliceEdit(scheduleLedger.moduleIndex))
    }
}

extension TimerChange {
    var isSet: Bool {
        if case .set = self { true } else { false }
    }
}
