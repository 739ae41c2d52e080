import StoreHTTPTransport
package import StorePlatform

/// The threads that make what would hold up the event loop or the Core; each begins with its first
/// job. On a pool they are the pool's.
package struct ReadingThreads: Sendable {
    /// Large answers, which are paced.
    let large: BackgroundWork
    /// What dry runs would change.
    let dryRuns: BackgroundWork
    /// Views that are asked for and not watched.
    let views: BackgroundWork
    /// States that are past, and what changed them.
    let past: BackgroundWork
    /// Pages of the log.
    let logPages: BackgroundWork
    /// What actions led to.
    let traces: BackgroundWork

    /// - Parameters:
    ///   - waitingMax: the most large answers, and the most dry runs, that wait: each has a
    ///     connection.
    ///   - pool: whose threads do the work, with a nice value of 10; `nil` for threads of their
    ///     own.
    ///   - version: the newest version; while many come, those two pause.
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

    /// How many requests were refused since the start because enough of the kind waited.
    var refusedTotal: UInt64 {
        [large, dryRuns, views, past, logPages, traces].reduce(0) { $0 + $1.refusedTotal }
    }
}
