import Platform
import StoreCore
import Synchronization
import Telemetry
import Wire

/// Notices when a reducer does not come to an end: names its action in the log, and then has
/// `/livez` answer 503, so that a supervisor starts the process anew. It ends nothing itself: all
/// that reads is served meanwhile. The action has left no trace: what is not reduced is not
/// journaled.
final class Watchdog: Sendable {
    private let progress: Progress
    private let slowSeconds: Int
    private let stuckSeconds: Int
    private let logger: Logger
    private let stuck = Locked<Progress.Work?>(nil)
    private let stopping = Latch()

    /// How often it looks.
    private static let intervalSeconds = 0.1

    init(_ progress: Progress, slowSeconds: Int, stuckSeconds: Int, _ logger: Logger) {
        self.logger = logger
        self.progress = progress
        self.slowSeconds = slowSeconds
        self.stuckSeconds = stuckSeconds
    }

    func start() {
        SystemThread.start(name: "watchdog") { [self] in watch() }
    }

    func stop() {
        stopping.open()
    }

    /// Why the process does not live, where it does not.
    var problem: Problem? {
        stuck.withLock { $0 }.map { work in
            .overloaded(
                "the action \(work.type), which would make version \(work.version), has been reduced "
                    + "for over \(stuckSeconds) seconds"
            )
        }
    }

    private func watch() {
        var seen: (work: Progress.Work, since: ContinuousClock.Instant, isNamed: Bool)?
        while !stopping.wait(seconds: Self.intervalSeconds) {
            guard let work = progress.current else {
                seen = nil
                stuck.withLock { $0 = nil }
                continue
            }
            guard var known = seen, known.work == work else {
                seen = (work, .now, false)
                continue
            }
            let time = known.since.duration(to: .now)
            if time >= .seconds(slowSeconds), !known.isNamed {
                known.isNamed = true
                seen = known
                logger.warning(
                    "the action \(work.type), which would make version \(work.version), has been "
                        + "reduced for over \(slowSeconds) s; all others wait for it"
                )
            }
            if time >= .seconds(stuckSeconds) { stuck.withLock { $0 = work } }
        }
    }
}
