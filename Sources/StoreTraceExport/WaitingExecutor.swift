import StorePlatform
import Synchronization

/// Runs tasks on the thread that waits for them. Effects that block may occupy all threads of
/// Swift's own pool.
final class WaitingExecutor: TaskExecutor {
    private let jobs = Locked<[UnownedJob]>([])
    private let came = TimedSemaphore()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        came.signal()
    }

    /// Runs the enqueued jobs on the calling thread until `isOver` returns true, or the seconds are
    /// over.
    func run(for seconds: Double, until isOver: () -> Bool) {
        let deadline = Deadline(seconds: seconds)
        while !isOver(), came.wait(seconds: deadline.left) {
            let next = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            next?.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
