import Dispatch
import StorePlatform
import Synchronization

/// An executor that runs effects one at a time, in the order in which they become ready. The order
/// of the effects is therefore the same in every run. ``waitForRest()`` waits until every effect
/// has ended or is waiting.
package final class OrderedExecutor: TaskExecutor, Sendable {
    /// The longest time, in real time, that an effect may run without waiting.
    package static let busyMax = Duration.seconds(10)

    private let queue = DispatchQueue(label: "effects")
    private let unfinishedJobCount = Atomic(0)
    private let enqueuedJobCount = Atomic<UInt64>(0)
    private let changes: ChangeSignal

    /// - Parameter changes: gets a signal each time that the last ready job has run.
    package init(_ changes: ChangeSignal) { self.changes = changes }

    /// The number of jobs that have become ready.
    var enqueuedTotal: UInt64 { enqueuedJobCount.load(ordering: .sequentiallyConsistent) }

    /// True if no effect runs: every effect has ended, or waits for the clock, a network or another
    /// thread.
    var isAtRest: Bool { unfinishedJobCount.load(ordering: .sequentiallyConsistent) == 0 }

    /// Waits at most ``busyMax`` until all effects are at rest. Returns true if all effects are at
    /// rest.
    package nonisolated(nonsending) func waitForRest() async -> Bool {
        await changes.wait(within: Self.busyMax) { isAtRest }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        unfinishedJobCount.add(1, ordering: .sequentiallyConsistent)
        enqueuedJobCount.add(1, ordering: .sequentiallyConsistent)
        queue.async { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
            // The jobs that this job made ready are already counted. So if the count is zero, all
            // effects have ended or are waiting.
            if unfinishedJobCount.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 {
                changes.signal()
            }
        }
    }
}

extension Core {
    /// Waits until all effects on `executor` have ended or are waiting, and the Core has applied
    /// the actions of these effects.
    ///
    /// - Returns: `false` if an effect blocks its thread for `OrderedExecutor.busyMax`, else
    ///   `true`.
    package nonisolated(nonsending) func waitForRest(of executor: OrderedExecutor) async -> Bool {
        var last: (version: UInt64?, begun: UInt64)?
        while true {
            guard await executor.waitForRest() else { return false }
            // `versionAfterWaitingEnvelopes` first commits the waiting envelopes, so their effects
            // have begun.
            let now = (await versionAfterWaitingEnvelopes(), executor.enqueuedTotal)
            if let last, last == now, executor.isAtRest { return true }
            last = now
        }
    }
}
