import StoreCore
import StoreHTTP
import StorePlatform
import StoreTelemetry
import StoreWire
import Synchronization

/// Notices when a reducer does not come to an end: names its action in the log, and then has
/// `/livez` answer 503, so that a supervisor starts the process anew. It ends nothing itself: all
/// that reads is served meanwhile. The action has left no trace: what is not reduced is not
/// journaled.
final class Watchdog: Sendable {
    private struct Seen: Sendable {
        let work: ReducerProgress.Work
        let since: ContinuousClock.Instant
        var isNamed = false
    }

    private let progress: ReducerProgress
    private let slowSeconds: Int
    private let stuckSeconds: Int
    private let logger: Logger
    private let seen = Locked<Seen?>(nil)
    private let stuck = Locked<ReducerProgress.Work?>(nil)

    init(_ progress: ReducerProgress, slowSeconds: Int, stuckSeconds: Int, _ logger: Logger) {
        self.logger = logger
        self.progress = progress
        self.slowSeconds = slowSeconds
        self.stuckSeconds = stuckSeconds
    }

    /// Why the store does not live, where it does not.
    var problem: Problem? {
        stuck.withLock { $0 }.map { work in
            .overloaded(
                "the action \(work.type), which would make version \(work.version), has been reduced "
                    + "for over \(stuckSeconds) seconds"
            )
        }
    }

    /// The same, as readiness has it.
    var notReady: NotReady? { problem.map { NotReady(.actionStuck, $0) } }

    /// Looks at what is reduced just now. One thread calls it, every so often.
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

/// The thread that looks every so often at what may take too long, or too much memory.
final class WatchdogThread: Sendable {
    private static let intervalSeconds = 0.1
    /// How many times as often what changes fast is looked at, where there is any.
    private static let fastPerInterval = 5

    private struct Looks: Sendable {
        var all: [@Sendable () -> Void] = []
        var fast: (@Sendable () -> Void)?
    }

    private let looks = Locked(Looks())
    private let stopping = Latch()

    func start() {
        SystemThread.start(name: "watchdog") { [self] in
            var turn = 0
            let parts = looks.withLock { $0.fast == nil } ? 1 : Self.fastPerInterval
            while !stopping.wait(seconds: Self.intervalSeconds / Double(parts)) {
                let looks = looks.withLock { $0 }
                looks.fast?()
                turn = (turn + 1) % parts
                if turn == 0 { for look in looks.all { look() } }
            }
        }
    }

    /// Has something looked at, from now on.
    func add(_ look: @escaping @Sendable () -> Void) {
        looks.withLock { $0.all.append(look) }
    }

    /// Has something looked at that changes fast, five times as often. Called before the start.
    func addFast(_ look: @escaping @Sendable () -> Void) {
        looks.withLock { $0.fast = look }
    }

    func stop() {
        stopping.open()
    }
}
