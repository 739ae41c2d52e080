import StoreCore
import StoreHistory
import StoreJournalSQLite
import StoreTelemetry

extension StoreServer {
    /// The file with the state that history begins with, where the configuration names one.
    func stateFile(_ configuration: ServerConfiguration) -> StateFile<State>? {
        configuration.stateFile.map { StateFile(path: $0, connect: connect) }
    }
}

/// A journal that is open, and how it is closed.
struct OpenJournal: Sendable {
    let journal: any Journal
    /// The clock for the ages of idempotency keys.
    let keyClock = SteadyClock()
    let close: @Sendable () -> Void

    /// A journal that others open and close.
    init(_ journal: any Journal) {
        self.journal = journal
        close = {}
    }

    /// Opens the program's own journal.
    init(_ own: ProgramJournal) throws {
        let opened = try own.open()
        journal = opened
        if own.isClosedByOpener {
            close = { opened.close() }
        } else {
            close = {}
        }
    }

    /// Opens the journal that the configuration asks for. The follower makes the state of what is
    /// read, where the journal is on disk.
    ///
    /// - Throws: `JournalOpenError`, whose text is for the operator.
    init(
        _ configuration: ServerConfiguration,
        follower: (any HistoryFollower)?,
        _ logger: Logger
    ) throws {
        if configuration.ephemeral {
            journal = MemoryJournal(retention: configuration.memoryRetention)
            close = {}
        } else {
            let durable = try SQLiteJournal(
                directory: configuration.dataDirectory,
                retention: configuration.retention,
                keyClock: keyClock,
                acceptDataLoss: configuration.acceptDataLoss,
                follower: follower,
                log: logger.warnings(.journalNoted)
            )
            VerifiedMark(in: configuration.dataDirectory).removeUnlessOfThisProgram()
            journal = durable
            close = durable.close
        }
    }
}

extension ServerConfiguration {
    /// What a journal in memory keeps: as many records as the operator asks for, and the bytes that
    /// are right for the default, in proportion where more records are asked for.
    var memoryRetention: Retention {
        var retention = Retention.inMemory
        let recordBytes = (retention.bytesMax ?? 0) / (retention.recordsMax ?? 1)
        retention.bytesMax = max(retention.bytesMax ?? 0, recordBytes * UInt64(historyMax))
        retention.recordsMax = UInt64(historyMax)
        return retention
    }

    /// How often the state is kept. In memory, twice within what is kept of history at least, or
    /// there would be versions before which no state is left.
    var snapshotBounds: (records: UInt64, bytes: UInt64) {
        let records = UInt64(snapshotRecords)
        guard ephemeral else { return (records, SnapshotKeeper.bytesMax) }
        let kept = memoryRetention
        return (
            min(records, max(1, (kept.recordsMax ?? .max) / 2)),
            min(SnapshotKeeper.bytesMax, (kept.bytesMax ?? .max) / 2)
        )
    }

    /// What the journal keeps, in memory or on disk.
    var usedRetention: Retention { ephemeral ? memoryRetention : retention }

    /// What a journal on disk keeps.
    var retention: Retention {
        Retention(
            secondsMax: retainSeconds > 0 ? UInt64(retainSeconds) : nil,
            bytesMax: retainBytes > 0 ? UInt64(retainBytes) : nil
        )
    }
}
