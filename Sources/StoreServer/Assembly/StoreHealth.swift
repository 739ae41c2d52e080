import StoreCore
import StoreHTTP
import StoreTelemetry

/// The supervision of a store: its measurements, the progress of its reducer, and the condition of
/// its journal.
struct StoreHealth: Sendable {
    let figures: StoreFigures
    let progress = ReducerProgress()
    let watchdog: Watchdog
    let journal: JournalCondition

    /// Supervises with the bounds of the configuration. `decision` is for a journal that has
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
