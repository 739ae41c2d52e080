import Dispatch
import StoreCore
import StorePlatform
import Synchronization

/// Runs the functions of a program that prepare the dependencies of effects, in the first phase of
/// a start. The functions may take long; ``cancel()`` ends the wait for them.
final class DependencyPreparation: Sendable {
    typealias Preparer = @Sendable (inout Dependencies) async throws -> Void

    private struct Cancellation: Sendable {
        /// The function that ends the current wait.
        var endWait: @Sendable () -> Void = {}
        var isCancelled = false
    }

    private let cancellation = Locked(Cancellation())

    /// Calls the steps one after the other, and waits for the end of the last step. Returns the
    /// prepared dependencies. Throws ``PreparationFailure`` if a step throws, and
    /// `CancellationError` after ``cancel()``.
    func run(_ steps: [Preparer], on dependencies: Dependencies) throws -> Dependencies {
        guard !steps.isEmpty else { return dependencies }
        guard !cancellation.withLock({ $0.isCancelled }) else { throw CancellationError() }
        let result = AwaitedAnswer<Result<Dependencies, any Error>>()
        let task = Task(executorPreference: PreparationExecutor()) {
            var dependencies = dependencies
            do {
                for step in steps { try await step(&dependencies) }
                result.give(.success(dependencies))
            } catch { result.give(.failure(PreparationFailure(cause: error))) }
        }
        let isCancelled = cancellation.withLock { progress in
            progress.endWait = {
                task.cancel()
                result.give(.failure(CancellationError()))
            }
            return progress.isCancelled
        }
        if isCancelled { cancel() }
        return try result.wait().get()
    }

    /// Cancels the current step. ``run(_:on:)`` throws at once, without waiting for the step.
    func cancel() {
        let cancel = cancellation.withLock { progress in
            progress.isCancelled = true
            return progress.endWait
        }
        cancel()
    }
}

/// Runs the steps on threads of a queue, and not on the threads of Swift's pool. The caller of
/// ``DependencyPreparation/run(_:on:)`` may be a thread of that pool, and is blocked until the
/// steps end.
private final class PreparationExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "prepare", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// An error of a start: a dependency could not be prepared.
public struct PreparationFailure: Error, CustomStringConvertible {
    /// The error that the program's own preparation threw.
    public let cause: any Error

    /// A message for the operator, with the cause.
    public var description: String { "the dependencies could not be prepared: \(cause)" }
}
