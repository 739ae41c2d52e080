import StoreCore
import StoreHTTP
import StorePlatform
import StoreTelemetry
import StoreWire
import Synchronization

/// The detector of a reducer that does not end. The watchdog first names the action in the log. If
/// the reducer still does not end, `/livez` answers with 503, so that a supervisor restarts the
/// process.
///
/// The watchdog does not end the reducer, and the server continues to serve reads. The action is
/// not in the journal, because the Core journals an action only after its reduction.
final class Watchdog: Sendable {
    private struct ObservedAction: Sendable {
        let action: ReducerProgress.CurrentAction
        let since: ContinuousClock.Instant
        var isLogged = false
    }

    /// The action that is being reduced, which the Core stores here.
    let progress = ReducerProgress()
    private let slowSeconds: Int
    private let stuckSeconds: Int
    private let logger: Logger
    private let observedAction = Locked<ObservedAction?>(nil)
    private let stuckAction = Locked<ReducerProgress.CurrentAction?>(nil)

    init(slowSeconds: Int, stuckSeconds: Int, _ logger: Logger) {
        self.logger = logger
        self.slowSeconds = slowSeconds
        self.stuckSeconds = stuckSeconds
    }

    /// The problem for `/livez` if a reducer does not end; otherwise `nil`.
    var problem: Problem? {
        stuckAction.withLock { $0 }.map { work in
            .overloaded(
                "the action \(work.type), which would make version \(work.version), has been reduced "
                    + "for over \(stuckSeconds) seconds"
            )
        }
    }

    /// The reason for `/readyz` if a reducer does not end; otherwise `nil`.
    var notReadyReason: NotReadyReason? { problem.map { NotReadyReason(.actionStuck, $0) } }

    /// Checks how long the Core has been reducing its current action. A single thread calls this
    /// function at short intervals.
    func check() {
        guard let work = progress.currentAction else {
            observedAction.withLock { $0 = nil }
            stuckAction.withLock { $0 = nil }
            return
        }
        guard var known = observedAction.withLock({ $0 }), known.action == work else {
            observedAction.withLock { $0 = ObservedAction(action: work, since: .now) }
            return
        }
        let time = known.since.duration(to: .now)
        if time >= .seconds(slowSeconds), !known.isLogged {
            known.isLogged = true
            observedAction.withLock { [known] in $0 = known }
            logger.warning(
                .reducerSlow,
                "the action \(work.type), which would make version \(work.version), has been "
                    + "reduced for over \(slowSeconds) s; all others wait for it",
                LogField("type", .name(work.type)),
                LogField("version", .count(work.version))
            )
        }
        if time >= .seconds(stuckSeconds) { stuckAction.withLock { $0 = work } }
    }
}

/// The thread that runs checks at intervals: for reducers that take too long, for scarce memory,
/// and for other conditions.
final class WatchdogThread: Sendable {
    private static let intervalSeconds = 0.1
    /// The number of runs of the fast check in one interval, if there is a fast check.
    private static let fastChecksPerInterval = 5

    private struct Checks: Sendable {
        var regular: [@Sendable () -> Void] = []
        var fastCheck: (@Sendable () -> Void)?
    }

    private let checks = Locked(Checks())
    private let stopLatch = Latch()

    func start() {
        SystemThread.start(name: "watchdog") { [self] in
            var turn = 0
            let parts = checks.withLock { $0.fastCheck == nil } ? 1 : Self.fastChecksPerInterval
            while !stopLatch.wait(seconds: Self.intervalSeconds / Double(parts)) {
                let current = checks.withLock { $0 }
                current.fastCheck?()
                turn = (turn + 1) % parts
                if turn == 0 { for check in current.regular { check() } }
            }
        }
    }

    /// Adds a check that runs every 0.1 s.
    func add(_ check: @escaping @Sendable () -> Void) {
        checks.withLock { $0.regular.append(check) }
    }

    /// Sets the fast check, which runs every 0.02 s. Call this function before the start.
    func setFastCheck(_ check: @escaping @Sendable () -> Void) {
        checks.withLock { $0.fastCheck = check }
    }

    func stop() { stopLatch.open() }
}

/// The detector of forward steps in the time of day. A step occurs when the clock is set, or after
/// the machine has slept. During the step, credentials may have expired although no timer has
/// fired. Timers use a clock that is never set, so they do not fire earlier after such a step.
final class ClockStepDetector: Sendable {
    /// The minimum step that counts, in seconds. A time service that adjusts the clock makes
    /// smaller steps.
    static let stepSecondsMin = 1.0

    private let lastOffsetSeconds = Locked(ClockStepDetector.wallOffsetSeconds)
    private let onStep: @Sendable () -> Void

    /// Begins to compare the time of day with the clock that is never set. ``check()`` calls
    /// `onStep` after each forward step.
    init(_ onStep: @escaping @Sendable () -> Void) { self.onStep = onStep }

    /// Checks if the time of day has been set ahead since the last call.
    func check() {
        let isAhead = lastOffsetSeconds.withLock { last in
            let now = Self.wallOffsetSeconds
            defer { last = now }
            return now - last >= Self.stepSecondsMin
        }
        if isAhead { onStep() }
    }

    /// The time of day minus the clock that is never set, in seconds.
    private static var wallOffsetSeconds: Double {
        Double(SystemTime.wallNanoseconds()) / 1e9 - SystemTime.steadySeconds()
    }
}
