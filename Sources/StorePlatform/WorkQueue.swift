/// What other threads leave for a ``Worker``: a value that has its own bounds.
public protocol WorkQueue: Sendable {
    /// What the worker does at a time: one job, or a batch of all that waits.
    associatedtype Work: Sendable

    /// Whether there is nothing to do.
    var isEmpty: Bool { get }

    /// Takes what is to be done next. Called only where the queue is not empty.
    mutating func take() -> Work
}
