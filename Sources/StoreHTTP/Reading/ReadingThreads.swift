import StoreHTTPTransport
package import StorePlatform

/// The threads for work that would delay the event loop or the Core. Each starts with its first
/// job. On a pool, the pool's threads do the work.
package struct ReadingThreads: Sendable {
    /// The thread that makes large answers. Pauses follow its answers while many versions come.
    let large: BackgroundWork
    /// The thread that compares the states of dry runs. Pauses follow them likewise.
    let dryRuns: BackgroundWork
    /// The threads that make views for single requests.
    let views: BackgroundWork
    /// The threads that read past states, and find the actions that changed them.
    let past: BackgroundWork
    /// The threads that read pages of the log.
    let logPages: BackgroundWork
    /// The threads that read traces of actions.
    let traces: BackgroundWork

    /// Makes the threads.
    ///
    /// - Parameters:
    ///   - waitingMax: the most large answers that wait, and the most dry runs. Each has a
    ///     connection.
    ///   - pool: the pool that does the work, with a nice value of 10; `nil` for separate threads.
    ///   - version: returns the newest version. Large answers and dry runs pause while many
    ///     versions come.
    package init(
        waitingMax: Int,
        on pool: ThreadPool? = nil,
        pacedBy version: @escaping @Sendable () -> UInt64
    ) {
        large = BackgroundWork(
            "reading",
            on: pool,
            runningMax: 1,
            waitingMax: waitingMax,
            pacedBy: version
        )
        dryRuns = BackgroundWork(
            "dry runs",
            on: pool,
            runningMax: 1,
            waitingMax: waitingMax,
            pacedBy: version
        )
        views = BackgroundWork("views", on: pool)
        past = BackgroundWork("history", on: pool)
        logPages = BackgroundWork("log pages", on: pool)
        traces = BackgroundWork("trace", on: pool)
    }

    /// The number of requests that were refused since the start because too many of their kind
    /// waited.
    var refusedTotal: UInt64 {
        [large, dryRuns, views, past, logPages, traces].reduce(0) { $0 + $1.refusedTotal }
    }
}
