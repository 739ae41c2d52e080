import StoreCore
import StoreHTTP
import StorePlatform
import StoreTelemetry
import StoreWire
import Synchronization

/// The detector of a reducer that does not end. The watchdog first names the action in the log.
/// Later `/livez` answers with 503, so that a supervisor restarts the process.
///
/// The watchdog does not end the reducer, and the server continues to serve reads. The action is
/// not in the journal, because the Core journals an action only after its reduction.
final class Watchdog: Sendable {
    private struct Seen: Sendable {
        let work: ReducerProgress.Work
        let since: ContinuousClock.Instant
        var isNamed = false
    }

    /// The action that is being reduced; the Core notes it here.
    let progress = ReducerProgress()
    private let slowSeconds: Int
    private let stuckSeconds: Int
    private let logger: Logger
    private let seen = Locked<Seen?>(nil)
    private let stuck = Locked<ReducerProgress.Work?>(nil)

    init(slowSeconds: Int, stuckSeconds: Int, _ logger: Logger) {
        self.logger = logger
        self.slowSeconds = slowSeconds
        self.stuckSeconds = stuckSeconds
    }

    /// The problem for `/livez` if a reducer does not end; otherwise `nil`.
    var problem: Problem? {
        stuck.withLock { $0 }.map { work in
            .overloaded(
                "the action \(work.type), which would make version \(work.version), has been reduced "
                    + "for over \(stuckSeconds) seconds"
            )
        }
    }

    /// The value of ``problem`` as a reason for `/readyz`.
    var notReady: NotReady? { problem.map { NotReady(.actionStuck, $0) } }

    /// Checks how long the Core has been reducing its current action. A single thread calls this
    /// function at short intervals.
    func look() {
        guard let work = progress.current else {
            seen.withLock { $0 = nil }
            stuck.withLock { $0 = nil }
            return
        }
        guard var known = seen.withLock({ $0 }), known.work == work else {
            seen.withLock { $0 = Seen(work: work, since: .now) }
            return
        }
        let time = known.since.duration(to: .now)
        if time >= .seconds(slowSeconds), !known.isNamed {
            known.isNamed = true
            seen.withLock { [known] in $0 = known }
            logger.warning(
                .reducerSlow,
                "the action \(work.type), which would make version \(work.version), has been "
                    + "reduced for over \(slowSeconds) s; all others wait for it",
                LogField("type", .name(work.type)),
                LogField("version", .count(work.version))
            )
        }
        if time >= .seconds(stuckSeconds) { stuck.withLock { $0 = work } }
    }
}

/// The thread that runs checks at intervals: for reducers that take too long, for scarce memory,
/// and for other conditions.
final class WatchdogThread: Sendable {
    private static let intervalSeconds = 0.1
    /// The number of fast checks in one interval, if there is a fast check.
    private static let fastPerInterval = 5

    private struct Checks: Sendable {
        var all: [@Sendable () -> Void] = []
        var fast: (@Sendable () -> Void)?
    }

    private let checks = Locked(Checks())
    private let stopping = Latch()

    func start() {
        SystemThread.start(name: "watchdog") { [self] in
            var turn = 0
            let parts = checks.withLock { $0.fast == nil } ? 1 : Self.fastPerInterval
            while !stopping.wait(seconds: Self.intervalSeconds / Double(parts)) {
                let current = checks.withLock { $0 }
                current.fast?()
                turn = (turn + 1) % parts
                if turn == 0 { for check in current.all { check() } }
            }
        }
    }

    /// Adds a check that runs every 0.1 s.
    func add(_ check: @escaping @Sendable () -> Void) { checks.withLock { $0.all.append(check) } }

    /// Sets the fast check, which runs every 0.02 s. Called before the start.
    func addFast(_ check: @escaping @Sendable () -> Void) { checks.withLock { $0.fast = check } }

    func stop() { stopping.open() }
}

/// The detector of steps of the time of day: when the clock is set ahead, or when the machine has
/// slept. Credentials may have ended then, although no timer has fired. Timers use a clock that is
/// never set, so that a step of the time of day does not change their ends.
final class ClockSteps: Sendable {
    /// The minimum step that counts, in seconds. A time service that adjusts the clock makes
    /// smaller steps.
    static let secondsMin = 1.0

    private let offset = Locked(ClockSteps.offset)
    private let onStep: @Sendable () -> Void

    /// Begins to compare the time of day with the clock that is never set. ``look()`` calls
    /// `onStep` after each step ahead.
    init(_ onStep: @escaping @Sendable () -> Void) { self.onStep = onStep }

    /// Checks if the time of day has been set ahead since the last call.
    func look() {
        let isAhead = offset.withLock { last in
            let now = Self.offset
            defer { last = now }
            return now - last >= Self.secondsMin
        }
        if isAhead { onStep() }
    }

    /// The time of day minus the clock that is never set, in seconds.
    private static var offset: Double {
        Double(SystemTime.wallNanoseconds()) / 1e9 - SystemTime.steadySeconds()
    }
}
