import StoreCore
import StoreHTTP
import Telemetry

/// What sees how a store's Core works: how long actions take, whether the reducer comes to an end,
/// whether the journal takes records.
struct Supervision: Sendable {
    let times: ServerTimes
    let progress: ReducerProgress
    let watchdog: Watchdog
    let journal: JournalCondition

    /// Watches with the bounds of the configuration. The decision is for a journal that has
    /// failed.
    init(
        _ configuration: ServerConfiguration,
        _ logger: Logger,
        whenJournalFails decision: JournalFailureDecision?
    ) {
        let times = ServerTimes()
        self.times = times
        progress = ReducerProgress { times.reducing.add($1, to: $0) }
        watchdog = Watchdog(
            progress,
            slowSeconds: configuration.slowActionSeconds,
            stuckSeconds: configuration.stuckActionSeconds,
            logger
        )
        journal = JournalCondition(logger, decision)
    }
}
