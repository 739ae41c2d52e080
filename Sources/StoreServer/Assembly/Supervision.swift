import StoreCore
import StoreHTTP
import StoreTelemetry

/// What sees how a store works: what is measured of it, whether the reducer comes to an end, and
/// whether the journal takes records.
struct Supervision: Sendable {
    let figures: StoreFigures
    let progress = ReducerProgress()
    let watchdog: Watchdog
    let journal: JournalCondition

    /// Watches with the bounds of the configuration. The decision is for a journal that has
    /// failed.
    init(
        _ configuration: ServerConfiguration,
        _ figures: StoreFigures,
        _ logger: Logger,
        whenJournalFails decision: JournalFailureDecision?
    ) {
        self.figures = figures
        watchdog = Watchdog(
            progress,
            slowSeconds: configuration.slowActionSeconds,
            stuckSeconds: configuration.stuckActionSeconds,
            logger
        )
        journal = JournalCondition(logger, decision)
    }
}
