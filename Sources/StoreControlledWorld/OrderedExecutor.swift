import Dispatch
import StorePlatform
import Synchronization

/// Runs effects one at a time, in the order in which they become ready, and shows when none of them
/// can go on by itself. So what they do has the same order in every run.
package final class OrderedExecutor: TaskExecutor, Sendable {
    /// How long an effect may go on without waiting for anything, in real time.
    package static let busyMax = Duration.seconds(10)

    private let queue = DispatchQueue(label: "effects")
    private let jobs = Atomic(0)
    private let begun = Atomic<UInt64>(0)
    private let changes: Changes

    /// - Parameter changes: is signalled each time that nothing is left to run.
    package init(_ changes: Changes) {
        self.changes = changes
    }

    /// How often something has become ready.
    var begunTotal: UInt64 { begun.load(ordering: .sequentiallyConsistent) }

    /// Whether every effect waits for something: the clock, a network, another thread.
    var isAtRest: Bool { jobs.load(ordering: .sequentiallyConsistent) == 0 }

    /// Waits for that, for ``busyMax`` at the most. Returns whether it came.
    package nonisolated(nonsending) func rest() async -> Bool {
        await changes.wait(within: Self.busyMax) { isAtRest }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.add(1, ordering: .sequentiallyConsistent)
        begun.add(1, ordering: .sequentiallyConsistent)
        queue.async { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
            // What this job made ready is counted by now, so zero is zero.
            if jobs.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 {
                changes.signal()
            }
        }
    }
}
