/// Which threads do the work of a ``Worker``.
package enum WorkerThreads: Sendable {
    /// Threads of its own.
    ///
    /// - Parameters:
    ///   - niceness: the lowest nice value of the threads; `nil` leaves them that of their starter.
    ///   - idleSecondsMax: how long a thread sleeps before it ends; the next work begins another.
    ///     `nil` keeps it.
    case own(niceness: CInt? = nil, idleSecondsMax: Double? = nil)
    /// Those of a pool, while there is work. The body is called anew for each turn.
    case pool(ThreadPool)
}
