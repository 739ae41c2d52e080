import StorePlatform
import Synchronization

/// Runs effects job by job: a caller asks for the next job, and a seed gives the order.
final class SteppedExecutor: TaskExecutor, Sendable {
    private let jobs = Locked<[UnownedJob]>([])

    var isEmpty: Bool { jobs.withLock { $0.isEmpty } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs one job; returns true if there was a job.
    func step(_ chance: inout Chance) -> Bool {
        let count = jobs.withLock { $0.count }
        guard count > 0 else { return false }
        let place = count == 1 ? 0 : chance.below(count)
        let job = jobs.withLock { $0.remove(at: place) }
        job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }
}
