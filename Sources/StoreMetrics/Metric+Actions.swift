import StoreCore
import StoreHistory
import StorePlatform
import StorePublishing
import Synchronization

extension Metric {
    /// The metrics of actions: the mailbox, the reducer, the commit.
    static let actions: [Metric] = [
        .gauge("store_version", "The version of the published state.", .each { $0.store.version }),
        .info(
            "store_history_info",
            "The epoch of the history: versions of two epochs are not comparable.",
            .all { [MetricSample(["epoch": $0.store.epoch], 1)] }
        ),
        .counter(
            "store_actions_total",
            "Dispatched actions, by type and outcome.",
            .actions { action in
                zip(ActionOutcome.allCases, action.outcomes).filter { $1 > 0 }.map {
                    MetricSample(["type": action.type, "outcome": $0.label], $1)
                }
            }
        ),
        .histogram(
            "store_reduce_seconds",
            "Time to reduce an applied action.",
            .actions { action in
                guard action.reducing.count > 0 else { return [] }
                return [MetricSample(["type": action.type], action.reducing)]
            }
        ),
        .histogram(
            "store_encode_seconds",
            "Time to encode a module's slice, once for a batch.",
            .all { $0.figures.encoding.all.map { MetricSample(["module": $0.module], $0.times) } }
        ),
        .histogram(
            "store_queue_wait_seconds",
            "Time that a client's actions waited until the first was reduced.",
            .each { $0.figures.core.queueWait.distribution }
        ),
        .histogram(
            "store_commit_seconds",
            "Time of the journal for a batch, until it was durable.",
            .each { $0.figures.core.commit.distribution }
        ),
        .histogram(
            "store_publish_seconds",
            "Time from the durable batch until readers could get it.",
            .each { $0.figures.core.publish.distribution }
        ),
        .histogram(
            "store_batch_actions",
            "Actions that were made durable together.",
            .each { $0.figures.core.batches.distribution }
        ),
        .gauge(
            "store_mailbox_actions",
            "Actions that wait for the Core.",
            .all {
                let mailbox = $0.store.core.mailboxFigures
                return lanes(clients: mailbox.clients, own: mailbox.own)
            }
        ),
        .gauge(
            "store_mailbox_actions_max",
            "The most actions that may wait for the Core.",
            .all {
                let mailbox = $0.store.core.mailboxFigures
                return lanes(clients: mailbox.clientsMax, own: mailbox.ownMax)
            }
        ),
        .counter(
            "store_actions_dropped_total",
            "Actions of the program itself that were not applied; the log has the reason.",
            .each { $0.store.core.droppedTotal }
        ),
    ]

    private static func lanes(clients: Int, own: Int) -> [MetricSample] {
        [MetricSample(["lane": "clients"], clients), MetricSample(["lane": "own"], own)]
    }

    /// The metrics of effects, in total and for each kind.
    static let effects: [Metric] = [
        .gauge("store_effects_running", "Effects that run.", .effects { $1.runningCount }),
        .gauge(
            "store_effects_running_max",
            "The most effects that ran at the same time since the start.",
            .effects { store, _ in store.figures.effects.runningMax }
        ),
        .histogram(
            "store_effect_seconds",
            "Time of an effect, with its retries and pauses.",
            .effectKinds { $0.durations }
        ),
        .gauge(
            "store_effect_running",
            "Effects of the kind that run.",
            .effectKinds { $0.running }
        ),
        .gauge(
            "store_effect_running_max",
            "The most effects of the kind that ran at the same time since the start.",
            .effectKinds { $0.runningMax }
        ),
        .counter(
            "store_effects_failed_total",
            "Effects that failed for good.",
            .effectKinds { $0.failed }
        ),
        .counter(
            "store_effects_retried_total",
            "Attempts of effects after a failed attempt.",
            .effectKinds { $0.retried }
        ),
    ]

    /// The metrics of the history: its extent, and the times of writing it.
    static let journal: [Metric] = [
        .gauge(
            "store_journal_failed",
            "1 if the journal has failed, so that no action is applied any more.",
            .each { $0.hasFailed() ? 1 : 0 }
        ),
        .gauge(
            "store_journal_records",
            "Applied actions that can be read.",
            .each { $0.figures.journal.recordCount }
        ),
        .gauge(
            "store_journal_oldest_version",
            "The oldest version whose record can be read.",
            .each { $0.figures.journal.oldest }
        ),
        .gauge(
            "store_journal_retention_seconds",
            "The shortest time for which applied actions are kept; 0 for ever.",
            .each { $0.figures.retention.map { $0.secondsMax ?? 0 } }
        ),
        .gauge(
            "store_journal_retention_bytes",
            "The least bytes of applied actions that are kept; 0 for all.",
            .each { $0.figures.retention.map { $0.bytesMax ?? 0 } }
        ),
        .gauge(
            "store_journal_file_bytes",
            "The sizes of the journal's files.",
            .all { store in
                store.journalFigures?.files.map { MetricSample(["file": $0.file], $0.bytes) } ?? []
            }
        ),
        .histogram(
            "store_journal_sync_seconds",
            "Time of the disk to sync a batch.",
            .each { $0.journalFigures?.syncs }
        ),
        .gauge(
            "store_snapshot_version",
            "The version of the newest snapshot; 0 if there is none.",
            .each { $0.figures.journal.newestSnapshot ?? 0 }
        ),
        .histogram(
            "store_snapshot_seconds",
            "Time to keep a snapshot, and to forget history beyond the bounds.",
            .each { $0.figures.keeper.saving.distribution }
        ),
        .counter(
            "store_snapshots_failed_total",
            "Snapshots that could not be kept.",
            .each { $0.figures.keeper.failures.load(ordering: .relaxed) }
        ),
    ]
}

extension MeasuredStore {
    /// The figures of the disk; `nil` for a journal in memory.
    fileprivate var journalFigures: JournalFigures? {
        (figures.journal as? any MeasuredJournal)?.figures
    }
}

extension Journal {
    fileprivate var recordCount: UInt64 {
        let (oldest, newest) = (oldest, version)
        return newest >= oldest ? newest - oldest + 1 : 0
    }
}
