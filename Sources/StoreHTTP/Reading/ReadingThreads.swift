import HTTPTransport

/// The threads that make what would hold up the event loop or the Core; each begins with its first
/// job.
package struct ReadingThreads: Sendable {
    /// Large answers, which are paced.
    let large: BackgroundWork
    /// What dry runs would change.
    let dryRuns: BackgroundWork
    /// Views that are asked for and not watched.
    let views = BackgroundWork("views")
    /// States that are past, and what changed them.
    let past = BackgroundWork("history")
    /// Pages of the log.
    let logPages = BackgroundWork("log pages")
    /// What actions led to.
    let traces = BackgroundWork("trace")

    /// - Parameters:
    ///   - waitingMax: the most large answers, and the most dry runs, that wait: each has a
    ///     connection.
    ///   - version: the newest version; while many come, those two pause.
    package init(waitingMax: Int, pacedBy version: @escaping @Sendable () -> UInt64) {
        large = BackgroundWork(
            "reading",
            runningMax: 1,
            waitingMax: waitingMax,
            pacedBy: version
        )
        dryRuns = BackgroundWork(
            "dry runs",
            runningMax: 1,
            waitingMax: waitingMax,
            pacedBy: version
        )
    }
}
