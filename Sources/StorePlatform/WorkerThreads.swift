/// The threads that do the work of a ``Worker``.
package enum WorkerThreads: Sendable {
    /// Threads that belong to the worker alone.
    ///
    /// - Parameters:
    ///   - niceness: the lowest nice value of the threads; `nil` leaves them the value of their
    ///     starter.
    ///   - idleSecondsMax: the longest sleep of a thread before it ends; the next work begins
    ///     another. `nil` keeps it.
    case own(niceness: CInt? = nil, idleSecondsMax: Double? = nil)
    /// Threads of a pool, while there is work. The body is called anew for each turn.
    case pool(ThreadPool)
}
