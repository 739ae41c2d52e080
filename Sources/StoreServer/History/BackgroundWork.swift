import Dispatch
import Glibc
import Locks
import Synchronization

/// Work that would hold up the event loop or the Core: a little at a time, and a bounded queue.
final class BackgroundWork: Sendable {
    private struct Jobs {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let jobs = Locked(Jobs())
    private let queue: DispatchQueue
    private let runningMax: Int
    private let waitingMax: Int
    private let pauses: Bool

    /// Makes a place for such work.
    ///
    /// - Parameters:
    ///   - runningMax: the most that is done at a time.
    ///   - waitingMax: the most that waits; more is refused.
    ///   - pauses: whether a job that took long is followed by a pause, so that dispatching goes first.
    init(_ label: String, runningMax: Int = 2, waitingMax: Int = 64, pauses: Bool = false) {
        self.pauses = pauses
        queue = DispatchQueue(label: label, attributes: .concurrent)
        self.runningMax = runningMax
        self.waitingMax = waitingMax
    }

    /// Takes a job, or answers `false` where too much waits already. Any thread; never waits.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        let (taken, starts) = jobs.withLock { jobs -> (Bool, Bool) in
            if jobs.running < runningMax {
                jobs.running += 1
                return (true, true)
            }
            guard jobs.waiting.count < waitingMax else { return (false, false) }
            jobs.waiting.append(job)
            return (true, false)
        }
        if starts { queue.async { [self] in run(job) } }
        return taken
    }

    /// After a job that takes longer, there is a pause.
    private static let secondsFree = 0.000_5
    /// How many times as long as the job the pause is, and its bound.
    private static let pauseFactor = 3.0
    private static let pauseSecondsMax = 0.02

    private func perform(_ job: @Sendable () -> Void) {
        guard pauses else { return job() }
        let began = ContinuousClock.now
        job()
        let seconds = began.duration(to: .now) / .seconds(1)
        guard seconds > Self.secondsFree else { return }
        usleep(useconds_t(min(seconds * Self.pauseFactor, Self.pauseSecondsMax) * 1e6))
    }

    private func run(_ first: @Sendable () -> Void) {
        perform(first)
        while true {
            let next = jobs.withLock { jobs -> (@Sendable () -> Void)? in
                guard !jobs.waiting.isEmpty else {
                    jobs.running -= 1
                    return nil
                }
                return jobs.waiting.removeFirst()
            }
            guard let next else { return }
            perform(next)
        }
    }
}
