import StorePlatform

/// The object that dispatches the actions of timers when the timers are due.
///
/// The timekeeper observes the slice of ``Schedule``. The timekeeper sleeps until the first timer
/// is due. Then it dispatches `schedule/fired` together with the action of the timer. If the store
/// is not the only writer of its history, another store may have handled this due time already. In
/// this case, `schedule/fired` is refused, and nothing is applied.
final class Timekeeper<Root: RootState>: @unchecked Sendable {
    // Safety: the thread that does the Core's work makes all calls that change the table.

    /// The maximum number of timers whose actions one task of the Core dispatches. The remaining
    /// timers follow in the next task.
    private static var timersPerTaskMax: Int { 256 }
    /// The longest sleep. The sleep has a bound, because the clock for sleeping and the time of day
    /// may drift apart.
    private static var sleepMax: Duration { .seconds(60) }
    /// The pause after a failed dispatch, for instance because the mailbox was full.
    private static var retryPause: Duration { .seconds(1) }

    /// The machine. The reference is weak, because an observer of the machine retains the
    /// timekeeper.
    private weak var machine: ModuleMachine<Root>?
    private let runner: EffectRunner
    /// The timers in the order of their due times. A key is a due time of 20 digits, followed by
    /// the timer's name.
    private var timersByDueTime = SortedTable<NamedTimer>()
    /// The due time of each timer, by the timer's name. The due time and the name make the timer's
    /// key in ``timersByDueTime``.
    private var dueByName: [ExactText: Int64] = [:]
    /// The timers whose due time is skipped, because it passed while no server ran.
    private var skippedNames: Set<ExactText> = []
    /// The timers in flight: their actions are dispatched, and not applied yet.
    private var inFlightNames: Set<ExactText> = []
    private var sleep: (due: Int64, task: Task<Void, Never>)?

    init(_ machine: ModuleMachine<Root>, _ runner: EffectRunner) {
        self.machine = machine
        self.runner = runner
    }

    deinit { sleep?.task.cancel() }

    /// Receives a change of the schedule. `isStart` is true for the first call, with the timers
    /// that the store begins with.
    func scheduleDidChange(
        from old: Schedule.State?,
        to new: Schedule.State?,
        isStart: Bool,
        _ engine: Engine
    ) {
        let before = old?.table ?? ValueTable()
        for (name, entry) in (new?.table ?? ValueTable()).differences(from: before) {
            forget(name)
            guard let entry else { continue }
            if isStart, entry.missed == .skipped, entry.due < now() {
                skippedNames.insert(ExactText(name))
            }
            dueByName[ExactText(name)] = entry.due
            timersByDueTime[Self.key(entry.due, name)] = NamedTimer(name, entry)
        }
        sleepUntilDue(engine)
    }

    private func forget(_ name: String) {
        inFlightNames.remove(ExactText(name))
        skippedNames.remove(ExactText(name))
        guard let due = dueByName.removeValue(forKey: ExactText(name)) else { return }
        timersByDueTime[Self.key(due, name)] = nil
    }

    private static func key(_ due: Int64, _ name: String) -> String {
        // Negative times, before 1970, sort before all other times.
        let digits = String(UInt64(bitPattern: due) ^ (1 << 63))
        return String(repeating: "0", count: 20 - digits.utf8.count) + digits + name
    }

    /// The time of day. Without a clock, as in a test that sets none, no timer is due.
    private func now() -> Int64 { (try? runner.dependencies.now) ?? .min }

    /// Sleeps until the first timer that is not in flight is due.
    private func sleepUntilDue(_ engine: Engine, atLeast pause: Duration? = nil) {
        guard
            let first = timersByDueTime.first(where: {
                !inFlightNames.contains(ExactText($0.value.name))
            })
        else {
            sleep?.task.cancel()
            sleep = nil
            return
        }
        let due = first.value.entry.due
        if pause == nil, let sleep, sleep.due == due { return }
        sleep?.task.cancel()
        let clock: any Clock<Duration>
        do { clock = try runner.dependencies.clock } catch {
            return report(first.value, error, engine)
        }
        let rest = Duration.nanoseconds(max(0, due.subtractingClamped(now())))
        let length = max(pause ?? .zero, clock is ManualClock ? rest : min(rest, Self.sleepMax))
        let fire = { @Sendable [weak self, weak engine] () -> Void in
            engine?.enqueueTask { [weak self] in self?.fireDueTimers($0) }
        }
        let wait = Self.makeWait(for: length, on: clock)
        let task = Task(executorPreference: runner.executor) {
            guard (try? await wait()) != nil else { return }
            fire()
        }
        sleep = (due, task)
    }

    /// Returns a function that sleeps until `length` has passed since the call of `makeWait`. So
    /// the delay before the task of the function begins does not prolong the wait.
    private static func makeWait(
        for length: Duration,
        on clock: some Clock<Duration>
    ) -> @Sendable () async throws -> Void {
        let deadline = clock.now.advanced(by: length)
        return { try await clock.sleep(until: deadline, tolerance: nil) }
    }

    private func fireDueTimers(_ engine: Engine) {
        sleep = nil
        let now = now()
        var fired = 0
        var failed = false
        for (_, timer) in timersByDueTime {
            guard timer.entry.due <= now, fired < Self.timersPerTaskMax, !failed else { break }
            guard !inFlightNames.contains(ExactText(timer.name)) else { continue }
            fired += 1
            failed = !fire(timer, engine)
        }
        sleepUntilDue(engine, atLeast: failed ? Self.retryPause : nil)
    }

    /// Dispatches the action of a timer, or skips the due time of the timer. Returns `false` if
    /// nothing was dispatched.
    private func fire(_ timer: NamedTimer, _ engine: Engine) -> Bool {
        if skippedNames.contains(ExactText(timer.name)) {
            let skipped = Schedule.Internal.skipped(timer: timer.name, due: timer.entry.due)
            return offer([skipped], timer, engine)
        }
        let fired = Schedule.Internal.fired(timer: timer.name, due: timer.entry.due)
        do {
            guard let action = try machine?.action(of: timer.entry) else { return false }
            return offer([fired, action], timer, engine)
        } catch {
            report(timer, error, engine)
            return offer([fired], timer, engine)
        }
    }

    private func offer(_ actions: [any Action], _ timer: NamedTimer, _ engine: Engine) -> Bool {
        let name = ExactText(timer.name)
        do {
            let source = source(of: timer.entry)
            let members = try actions.map { try engine.member(of: $0) }
            inFlightNames.insert(name)
            let completion = TimerCompletion { [weak self, weak engine] outcome in
                engine?.enqueueTask { [weak self] engine in
                    self?.handle(outcome, of: timer, actions, engine)
                }
            }
            try engine.offer(Envelope(members: members, source: source, completion: completion))
            return true
        } catch {
            inFlightNames.remove(name)
            return false
        }
    }

    /// Handles the outcome of a dispatch. An applied dispatch has changed the schedule already.
    private func handle(
        _ outcome: Outcome,
        of timer: NamedTimer,
        _ actions: [any Action],
        _ engine: Engine
    ) {
        let isPending =
            dueByName[ExactText(timer.name)] == timer.entry.due
            && inFlightNames.contains(ExactText(timer.name))
        guard isPending else { return }
        inFlightNames.remove(ExactText(timer.name))
        switch outcome {
        case .applied: break
        case .refused(let refusal, let member) where member > 0:
            // The module has refused the action of the timer. `schedule/fired` is now dispatched
            // alone, because the due time has passed in any case.
            report(timer, refusal, engine)
            if !offer([actions[0]], timer, engine) {
                sleepUntilDue(engine, atLeast: Self.retryPause)
            }
        default: sleepUntilDue(engine, atLeast: Self.retryPause)
        }
    }

    private func report(_ timer: NamedTimer, _ error: any Error, _ engine: Engine) {
        engine.reportDropped(
            DroppedAction(
                type: "the timer '\(timer.name)'",
                source: source(of: timer.entry),
                reason: error
            )
        )
    }

    private func source(of entry: Schedule.Entry) -> ActionSource {
        let key = SliceKey(owner: entry.owner)
        return ActionSource(
            cause: entry.version == 0 ? nil : entry.version,
            sourceLocation: "StoreCore/schedule",
            session: key.session,
            principal: key.principal
        )
    }
}

/// A timer of the schedule, with its name and its entry.
private final class NamedTimer: Sendable {
    let name: String
    let entry: Schedule.Entry

    init(_ name: String, _ entry: Schedule.Entry) {
        self.name = name
        self.entry = entry
    }
}

/// The completion of a timer's dispatch, which passes the outcome to a closure.
private final class TimerCompletion: Completion {
    private let handle: @Sendable (Outcome) -> Void

    init(_ handle: @escaping @Sendable (Outcome) -> Void) { self.handle = handle }

    func complete(_ outcome: Outcome) { handle(outcome) }
}

extension ModuleMachine {
    /// Returns the action of a timer, for the slice that the timer belongs to.
    ///
    /// - Throws: an error if this program has no such module or cannot read the action.
    func action(of entry: Schedule.Entry) throws -> any Action {
        let (name, instance) = entry.moduleAndInstance
        guard let mount = modules.first(where: { $0.name.isSame(as: name) }), let workCodec else {
            throw UnknownWork(description: "this program has no module '\(name)'")
        }
        guard
            let action = try mount.boundModule?.timerAction(entry.action, entry.kind, workCodec)
        else { throw UnknownWork(description: "'\(name)' is no module") }
        return instance.map { action.to($0) } ?? action
    }
}

extension Schedule.Entry {
    /// The name of the module, and the id of the instance if the module has instances.
    fileprivate var moduleAndInstance: (module: String, instance: String?) {
        // Compares bytes, because a slash with a combining mark behind it is a different
        // `Character`.
        guard let slash = slice.utf8.firstIndex(of: UInt8(ascii: "/")) else { return (slice, nil) }
        return (String(slice[..<slash]), String(slice[slice.utf8.index(after: slash)...]))
    }
}
