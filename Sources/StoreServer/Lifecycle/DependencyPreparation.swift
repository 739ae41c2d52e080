import Dispatch
public import StoreCore
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

// Preparing

extension StoreServer {
    /// Returns a server that prepares its dependencies before it makes its state.
    ///
    /// ```swift
    /// StoreServer(AppState.self)
    ///     .preparing { dependencies in
    ///         try await dependencies.set(MoviesKey.self, to: MovieDatabase.open("movies.db"))
    ///     }
    ///     .main()
    /// ```
    ///
    /// A start has phases: the server prepares the dependencies, one closure after the other. Next,
    /// the server makes the state from the journal, and adds interceptors and reactions. Then the
    /// server is ready. The server listens from the beginning: `/livez` is 200, `/readyz` is 503,
    /// and every other request waits until the server is ready.
    ///
    /// - Parameter prepare: sets dependencies for the effects, and may read dependencies that are
    ///   set already. If the server is stopped meanwhile, it cancels the task of the closure and
    ///   does not wait for it. An error ends the start: ``main()`` ends the process with status 69,
    ///   ``start(_:)`` throws ``PreparationFailure``.
    /// - Returns: the server that calls `prepare` after its earlier preparations.
    public func preparing(
        _ prepare: @escaping @Sendable (inout Dependencies) async throws -> Void
    ) -> StoreServer {
        var server = self
        server.preparations.append(prepare)
        return server
    }
}

/// An error of a start: a dependency could not be prepared.
public struct PreparationFailure: Error, CustomStringConvertible {
    /// The error that the program's own preparation threw.
    public let cause: any Error

    /// A message for the operator, with the cause.
    public var description: String { "the dependencies could not be prepared: \(cause)" }
}
