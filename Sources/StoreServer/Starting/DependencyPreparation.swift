import Dispatch
import StoreCore
import StorePlatform
import Synchronization

/// Prepares the dependencies of effects, in the first phase of a start.
///
/// The object calls the functions that the program has added, which may take long. ``cancel()``
/// ends the wait for them. Several stores prepare their dependencies one after the other.
final class DependencyPreparation: Sendable {
    typealias Step = @Sendable (inout Dependencies) async throws -> Void

    private struct Progress: Sendable {
        var task: Task<Void, Never>?
        var result: Result<Dependencies, any Error>?
        var isCancelled = false
    }

    private let progress = Locked(Progress())
    private let ended = DispatchSemaphore(value: 0)

    /// Calls the steps in their order, and waits for the end of the last, or for ``cancel()``.
    ///
    /// - Throws: ``PreparationFailure`` if a step throws, `CancellationError` if the preparation
    ///   was cancelled.
    func run(_ steps: [Step], on dependencies: Dependencies) throws -> Dependencies {
        guard !steps.isEmpty else { return dependencies }
        let isOver = progress.withLock { progress in
            progress.result = nil
            return progress.isCancelled
        }
        guard !isOver else { throw CancellationError() }
        let task = Task(executorPreference: PreparationExecutor()) { [self] in
            var dependencies = dependencies
            do {
                for step in steps { try await step(&dependencies) }
                end(.success(dependencies))
            } catch {
                end(.failure(PreparationFailure(cause: error)))
            }
        }
        let isCancelled = progress.withLock { progress in
            progress.task = task
            return progress.result != nil
        }
        if isCancelled { task.cancel() }
        ended.wait()
        return try progress.withLock { $0.result }?.get() ?? dependencies
    }

    /// Cancels the current step. ``run(_:on:)`` throws at once, without waiting for the step.
    func cancel() {
        let task = progress.withLock { progress in
            progress.isCancelled = true
            return progress.task
        }
        task?.cancel()
        end(.failure(CancellationError()))
    }

    private func end(_ result: Result<Dependencies, any Error>) {
        let isFirst = progress.withLock { progress in
            guard progress.result == nil else { return false }
            progress.result = result
            return true
        }
        if isFirst { ended.signal() }
    }
}

/// Runs the steps on threads of their own: the caller of ``DependencyPreparation/run(_:on:)`` may
/// block a thread of Swift's pool until they end.
private final class PreparationExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "prepare", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
