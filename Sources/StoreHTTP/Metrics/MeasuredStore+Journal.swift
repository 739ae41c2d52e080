import StoreCore
import StoreHistory
import StorePlatform
import StoreTelemetry
import Synchronization

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
