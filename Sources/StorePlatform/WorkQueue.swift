/// The work that other threads leave for a ``Worker``: a value with its own bounds.
public protocol WorkQueue: Sendable {
    /// The work that the worker takes at a time: one job, or a batch of all waiting jobs.
    associatedtype Work: Sendable

    /// True if the queue has no work.
    var isEmpty: Bool { get }

    /// Takes the next work. The worker calls this function only if the queue is not empty.
    mutating func take() -> Work
}
