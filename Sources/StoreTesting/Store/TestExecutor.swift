import Dispatch
import Locks
import Synchronization

/// Runs a test's effects one at a time, in the order in which they become ready, and knows when none
/// of them can go on by itself.
final class TestExecutor: TaskExecutor, Sendable {
    /// How long an effect may go on without waiting for anything, in real time.
    static let busyMax = Duration.seconds(10)

    private let queue = DispatchQueue(label: "effects")
    private let jobs = Atomic(0)
    private let changes: Changes

    /// - Parameter changes: is told each time that nothing is left to run.
    init(_ changes: Changes) {
        self.changes = changes
    }

    /// Whether every effect waits for something: the clock, a network, another thread.
    var isAtRest: Bool { jobs.load(ordering: .sequentiallyConsistent) == 0 }

    /// Waits for that, for ``busyMax`` at the most. Answers whether it came.
    nonisolated(nonsending) func rest() async -> Bool {
        await changes.wait(within: Self.busyMax) { isAtRest }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.add(1, ordering: .sequentiallyConsistent)
        queue.async { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
            // What this job made ready is counted by now, so zero is zero.
            if jobs.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 {
                changes.signal()
            }
        }
    }
}
