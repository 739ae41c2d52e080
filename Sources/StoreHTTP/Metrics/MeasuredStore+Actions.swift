import StoreCore
import StoreHistory
import StorePlatform
import StorePublishing
import StoreTelemetry
import Synchronization

extension [MeasuredStore] {
    /// Writes the metrics of actions: the mailbox, the reducer, the commit.
    func writeActions(to metrics: inout MetricsText) {
        metrics.gauge(
            "store_version",
            "The version of the published state.",
            each { $0.store.reader.version }
        )
        metrics.info(
            "store_history_info",
            "The epoch of the history: versions of two epochs are not comparable.",
            map { $0.labels(["epoch": "\($0.store.reader.epoch)"]) }
        )
        let actions = map { store in (store: store, actions: store.figures.core.actions) }
        metrics.counter(
            "store_actions_total",
            "Dispatched actions, by type and outcome.",
            actions.flatMap { store, actions in
                actions.flatMap { action in
                    zip(ActionOutcome.allCases, action.outcomes).filter { $1 > 0 }.map {
                        .init(store.labels(["type": action.type, "outcome": $0.label]), $1)
                    }
                }
            }
        )
        metrics.histogram(
            "store_reduce_seconds",
            "Time to reduce an applied action.",
            actions.flatMap { store, actions in
                actions.filter { $0.reducing.count > 0 }.map {
                    .init(store.labels(["type": $0.type]), $0.reducing)
                }
            }
        )
        metrics.histogram(
            "store_encode_seconds",
            "Time to encode a module's slice, once for a batch.",
            flatMap { store in
                store.figures.encoding.all.map {
                    .init(store.labels(["module": $0.module]), $0.times)
                }
            }
        )
        metrics.histogram(
            "store_queue_wait_seconds",
            "Time that a client's actions waited until the first was reduced.",
            each { $0.figures.core.queueWait.distribution }
        )
        metrics.histogram(
            "store_commit_seconds",
            "Time of the journal for a batch, until it was durable.",
            each { $0.figures.core.commit.distribution }
        )
        metrics.histogram(
            "store_publish_seconds",
            "Time from the durable batch until readers could get it.",
            each { $0.figures.core.publish.distribution }
        )
        metrics.histogram(
            "store_batch_actions",
            "Actions that were made durable together.",
            each { $0.figures.core.batches.distribution }
        )
        metrics.gauge(
            "store_mailbox_actions",
            "Actions that wait for the Core.",
            all {
                let mailbox = $0.store.core.mailboxFigures
                return [
                    .init(["lane": "clients"], mailbox.clients),
                    .init(["lane": "own"], mailbox.own),
                ]
            }
        )
        metrics.gauge(
            "store_mailbox_actions_max",
            "The most actions that may wait for the Core.",
            all {
                let mailbox = $0.store.core.mailboxFigures
                return [
                    .init(["lane": "clients"], mailbox.clientsMax),
                    .init(["lane": "own"], mailbox.ownMax),
                ]
            }
        )
        metrics.counter(
            "store_actions_dropped_total",
            "Actions of the program itself that were not applied; the log has the reason.",
            each { $0.store.core.droppedTotal }
        )
    }

    /// Writes the metrics of effects, for stores whose states are made of modules.
    func writeEffects(to metrics: inout MetricsText) {
        let stores = filter { $0.store.core.effects != nil }
        guard !stores.isEmpty else { return }
        metrics.gauge(
            "store_effects_running",
            "Effects that run.",
            stores.each { $0.store.core.effects?.runningCount ?? 0 }
        )
        metrics.gauge(
            "store_effects_running_max",
            "The most effects that ran at the same time since the start.",
            stores.each { $0.figures.effects.runningMax }
        )
        metrics.effects(stores.map { ($0.labels, $0.figures.effects) })
    }
}

// The journal

extension [MeasuredStore] {
    /// Writes the metrics of the history: its extent, and the times of writing it.
    func writeJournal(to metrics: inout MetricsText) {
        metrics.gauge(
            "store_journal_failed",
            "1 if the journal has failed, so that no action is applied any more.",
            each { $0.hasFailed() ? 1 : 0 }
        )
        metrics.gauge(
            "store_journal_records",
            "Applied actions that can be read.",
            each { $0.figures.journal.recordCount }
        )
        metrics.gauge(
            "store_journal_oldest_version",
            "The oldest version whose record can be read.",
            each { $0.figures.journal.oldest }
        )
        metrics.gauge(
            "store_journal_retention_seconds",
            "The shortest time for which applied actions are kept; 0 for ever.",
            eachWith { $0.figures.retention.map { $0.secondsMax ?? 0 } }
        )
        metrics.gauge(
            "store_journal_retention_bytes",
            "The least bytes of applied actions that are kept; 0 for all.",
            eachWith { $0.figures.retention.map { $0.bytesMax ?? 0 } }
        )
        let durable = compactMap { store in
            (store.figures.journal as? any MeasuredJournal).map { (store, $0.figures) }
        }
        metrics.gauge(
            "store_journal_file_bytes",
            "The sizes of the journal's files.",
            durable.flatMap { store, journal in
                journal.files.map { .init(store.labels(["file": $0.file]), $0.bytes) }
            }
        )
        metrics.histogram(
            "store_journal_sync_seconds",
            "Time of the disk to sync a batch.",
            durable.map { .init($0.labels, $1.syncs) }
        )
        metrics.gauge(
            "store_snapshot_version",
            "The version of the newest snapshot; 0 if there is none.",
            each { $0.figures.journal.newestSnapshot ?? 0 }
        )
        metrics.histogram(
            "store_snapshot_seconds",
            "Time to keep a snapshot, and to forget history beyond the bounds.",
            each { $0.figures.keeper.saving.distribution }
        )
        metrics.counter(
            "store_snapshots_failed_total",
            "Snapshots that could not be kept.",
            each { $0.figures.keeper.failures.load(ordering: .relaxed) }
        )
    }
}

extension Journal {
    fileprivate var recordCount: UInt64 {
        let (oldest, newest) = (oldest, version)
        return newest >= oldest ? newest - oldest + 1 : 0
    }
}
