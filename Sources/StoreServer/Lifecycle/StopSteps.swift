import StoreCore
import StorePlatform
import Synchronization

/// The steps of a stop that may never end, because they wait for a reducer or a disk.
///
/// They run one after the other, on a thread of their own. The thread that stops the server leaves
/// it behind when the time is over.
final class StopSteps: Sendable {
    private let steps: [(name: String, work: @Sendable () -> Void)]
    private let current = Locked(0)
    private let ended = Latch()

    /// Makes the sequence of steps.
    ///
    /// - Parameter steps: the steps, each with its name in the log.
    init(_ steps: [(name: String, work: @Sendable () -> Void)]) {
        self.steps = steps
    }

    /// Runs the steps. Returns the name of the step that was not finished after so many seconds.
    func run(seconds: Double) -> String? {
        SystemThread.start(name: "stop") { [self] in
            for (index, step) in steps.enumerated() {
                current.withLock { $0 = index }
                step.work()
            }
            ended.open()
        }
        guard !ended.wait(seconds: seconds) else { return nil }
        return steps[current.withLock { $0 }].name
    }
}
