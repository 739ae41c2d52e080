import Dispatch
import Platform
import StoreCore
import Synchronization

/// The first phase of a start: the program's own work on its dependencies, which may take long and be
/// given up.
final class Preparation: Sendable {
    typealias Step = @Sendable (inout Dependencies) async throws -> Void

    private struct Progress: Sendable {
        var task: Task<Void, Never>?
        var result: Result<Dependencies, any Error>?
    }

    private let progress = Locked(Progress())
    private let ended = DispatchSemaphore(value: 0)

    /// Does the steps in their order, and waits for the end of the last, or for ``cancel()``.
    ///
    /// - Throws: ``PreparationFailure`` where one throws, `CancellationError` where it was given up.
    func run(_ steps: [Step], on dependencies: Dependencies) throws -> Dependencies {
        guard !steps.isEmpty else { return dependencies }
        let task = Task(executorPreference: PreparationExecutor()) { [self] in
            var dependencies = dependencies
            do {
                for step in steps { try await step(&dependencies) }
                end(.success(dependencies))
            } catch {
                end(.failure(PreparationFailure(cause: error)))
            }
        }
        let isGivenUp = progress.withLock { progress in
            progress.task = task
            return progress.result != nil
        }
        if isGivenUp { task.cancel() }
        ended.wait()
        return try progress.withLock { $0.result }?.get() ?? dependencies
    }

    /// Gives it up: whoever waits goes on at once, whatever the step that is under way does.
    func cancel() {
        progress.withLock { $0.task }?.cancel()
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

/// Runs the steps on threads of their own, so that whoever waits for them may hold up one of Swift's.
private final class PreparationExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "prepare", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
