import StoreCore
import StoreHistory
import StorePlatform
import StorePublishing
import Synchronization

extension Metric {
    /// The metrics of actions: the mailbox, the reducer, the commit.
    static let actions: [Metric] = [
        .perStore("store_version", "The version of the published state.") { $0.store.version },
        .valuesPerStore(
            "store_history_info",
            "The epoch of the history: versions of two epochs are not comparable.",
            by: "epoch"
        ) { [($0.store.epoch, 1)] },
        .perActionType("store_actions_total", "Dispatched actions, by type and outcome.") {
            action in
            zip(ActionOutcome.allCases, action.countsByOutcome).filter { $1 > 0 }.map {
                (["type": action.type, "outcome": $0.label], $1)
            }
        },
        .perActionType("store_reduce_seconds", "Time to reduce an applied action.") { action in
            [action.reducerTime].filter { $0.count > 0 }.map { (["type": action.type], $0) }
        },
        .valuesPerStore(
            "store_encode_seconds",
            "Time to encode a module's slice, once for a batch.",
            by: "module"
        ) { $0.figures.encodeTimes.all },
        .perStore(
            "store_queue_wait_seconds",
            "Time that the actions of a request waited in the mailbox until the first of them "
                + "was reduced."
        ) { $0.figures.core.queueWait.distribution },
        .perStore(
            "store_commit_seconds",
            "Time that the journal took to make a batch durable."
        ) { $0.figures.core.commitTime.distribution },
        .perStore(
            "store_publish_seconds",
            "Time from the moment a batch was durable until readers could get its state."
        ) { $0.figures.core.publishTime.distribution },
        .perStore(
            "store_batch_actions",
            "Number of actions that were made durable together in one batch."
        ) {
            $0.figures.core.batchSizes.distribution
        },
        .valuesPerStore("store_mailbox_actions", "Actions that wait for the Core.", by: "lane") {
            let mailbox = $0.store.engine.mailboxFigures
            return [("clients", mailbox.clientCount), ("own", mailbox.programCount)]
        },
        .valuesPerStore(
            "store_mailbox_actions_max",
            "The most actions that may wait for the Core.",
            by: "lane"
        ) {
            let mailbox = $0.store.engine.mailboxFigures
            return [("clients", mailbox.clientMax), ("own", mailbox.programMax)]
        },
        .perStore(
            "store_actions_dropped_total",
            "Actions of the program itself that were not applied; the log has the reason."
        ) { $0.store.engine.droppedProgramActionTotal },
    ]

    /// The metrics of effects, in total and for each kind.
    static let effects: [Metric] = [
        .perStoreWithEffects("store_effects_running", "Effects that run.") { $1.runningCount },
        .perStoreWithEffects(
            "store_effects_running_max",
            "The most effects that ran at the same time since the start."
        ) { store, _ in store.figures.effects.runningMax },
        .perEffectKind("store_effect_seconds", "Time of an effect, with its retries and pauses.") {
            $0.durations
        },
        .perEffectKind("store_effect_running", "Effects of the kind that run.") { $0.runningCount },
        .perEffectKind(
            "store_effect_running_max",
            "The most effects of the kind that ran at the same time since the start."
        ) { $0.runningMax },
        .perEffectKind("store_effects_failed_total", "Effects that failed for good.") {
            $0.failedCount
        },
        .perEffectKind(
            "store_effects_retried_total",
            "Attempts of effects after a failed attempt."
        ) { $0.retriedCount },
    ]

    /// The metrics of the history: its extent, and the durations of its writes.
    static let journal: [Metric] = [
        .perStore(
            "store_journal_failed",
            "1 if the journal has failed, so that no action is applied any more."
        ) { $0.hasJournalFailed() ? 1 : 0 },
        .perStore("store_journal_records", "Applied actions that can be read.") { store -> UInt64 in
            let (oldest, newest) = (
                store.figures.journal.oldestVersion, store.figures.journal.version
            )
            return newest >= oldest ? newest - oldest + 1 : 0
        },
        .perStore("store_journal_oldest_version", "The oldest version whose record can be read.") {
            $0.figures.journal.oldestVersion
        },
        .perStore(
            "store_journal_retention_seconds",
            "The minimum time for which applied actions are kept; 0 if they are kept for ever."
        ) { $0.figures.retention.map { $0.secondsMax ?? 0 } },
        .perStore(
            "store_journal_retention_bytes",
            "The minimum number of bytes of applied actions that are kept; 0 if all are kept."
        ) { $0.figures.retention.map { $0.bytesMax ?? 0 } },
        .valuesPerStore("store_journal_file_bytes", "The sizes of the journal's files.", by: "file")
        {
            $0.journalFigures?.files ?? []
        },
        .perStore("store_journal_sync_seconds", "Time that the disk took to sync a batch.") {
            $0.journalFigures?.syncs
        },
        .perStore(
            "store_snapshot_version",
            "The version of the newest snapshot; 0 if there is none."
        ) { $0.figures.journal.newestSnapshotVersion ?? 0 },
        .perStore(
            "store_snapshot_seconds",
            "Time to save a snapshot and to delete history beyond the bounds of retention."
        ) { $0.figures.keeper.saveDurations.distribution },
        .perStore("store_snapshots_failed_total", "Snapshots that could not be saved.") {
            $0.figures.keeper.failureCount.currentCount
        },
    ]
}

extension MeasuredStore {
    /// The figures of the disk; `nil` for a journal in memory.
    fileprivate var journalFigures: JournalFigures? {
        (figures.journal as? any MeasuredJournal)?.figures
    }
}
