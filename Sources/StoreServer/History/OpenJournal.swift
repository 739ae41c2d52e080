import Glibc
import StoreCore
import StoreHistory
import StoreJournalSQLite
import StoreTelemetry

/// An open journal, with the function that closes it.
struct OpenJournal: Sendable {
    let journal: any Journal
    /// The clock for the ages of idempotency keys.
    let keyAgeClock = SteadyClock()
    let close: @Sendable () -> Void

    /// Wraps a journal that is already open. By default, `close` does nothing, because the owner of
    /// the journal closes it.
    init(_ journal: any Journal, close: @escaping @Sendable () -> Void = {}) {
        self.journal = journal
        self.close = close
    }

    /// Opens the journal that the configuration selects. While a journal on disk is opened, the
    /// follower makes the state from the records, unless the records are sealed.
    init(
        _ configuration: ServerConfiguration,
        follower: (any HistoryFollower)?,
        sealer: RecordSealer? = nil,
        _ logger: Logger
    ) throws {
        if configuration.history.ephemeral {
            journal = MemoryJournal(retention: configuration.memoryRetention)
            close = {}
        } else {
            let durable = try SQLiteJournal(
                directory: configuration.history.directory,
                retention: configuration.diskRetention,
                keyClock: keyAgeClock,
                acceptDataLoss: configuration.history.acceptDataLoss,
                follower: sealer == nil ? follower : nil,
                sealer: sealer,
                log: logger.warningWriter(.journalNoted)
            )
            VerificationFile(in: configuration.history.directory).removeUnlessOfThisProgram()
            journal = durable
            close = durable.close
        }
    }
}

extension ServerConfiguration {
    /// The retention of a journal in memory. The operator sets the maximum number of records. The
    /// bound on bytes has its default; if the operator sets more records than the default, the
    /// bound on bytes grows in proportion.
    var memoryRetention: Retention {
        var retention = Retention.inMemory
        let recordBytes = (retention.bytesMax ?? 0) / (retention.recordsMax ?? 1)
        retention.bytesMax = max(
            retention.bytesMax ?? 0,
            recordBytes * UInt64(history.memoryActionsMax)
        )
        retention.recordsMax = UInt64(history.memoryActionsMax)
        return retention
    }

    /// The bounds after which a snapshot is made, in records and in bytes. A journal in memory gets
    /// at least two snapshots within its retention. With fewer snapshots, a replay to some of the
    /// kept versions would have no state to start from.
    var snapshotBounds: (records: UInt64, bytes: UInt64) {
        let records = UInt64(history.actionsPerSnapshot)
        guard history.ephemeral else {
            return (records, SnapshotKeeper.recordBytesBetweenSnapshots)
        }
        let kept = memoryRetention
        return (
            min(records, max(1, (kept.recordsMax ?? .max) / 2)),
            min(SnapshotKeeper.recordBytesBetweenSnapshots, (kept.bytesMax ?? .max) / 2)
        )
    }

    var effectiveRetention: Retention { history.ephemeral ? memoryRetention : diskRetention }

    var diskRetention: Retention {
        Retention(
            secondsMax: history.ageMax.map { UInt64(clamping: $0.wholeSeconds) },
            bytesMax: history.bytesMax.map { UInt64(clamping: $0) }
        )
    }
}

extension Server {
    /// Returns the file with the first state of the history, if the configuration names a file.
    func stateFile(_ configuration: ServerConfiguration) -> StateFile<State>? {
        configuration.history.stateFile.map {
            StateFile(path: $0, fillSharedValues: connectModules)
        }
    }
}

/// The folder for the histories of added stores: `stores`, in the data directory.
enum StoreFolders {
    /// Makes the missing folders, which only their owner can open, and syncs them to the disk. This
    /// function ignores errors: after an error, the journal can't make its own folder, and reports
    /// the failure.
    static func make(in dataDirectory: String) {
        for (folder, parent) in [
            (dataDirectory, dataDirectory + "/.."), (dataDirectory + "/stores", dataDirectory),
        ] where mkdir(folder, 0o700) == 0 {
            let descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            fsync(descriptor)
            close(descriptor)
        }
    }
}
