import Glibc
import JournalSQLite
import StoreCore

extension StoreServer {
    /// The status of a process that could not tell whether an action became durable. A supervisor
    /// starts it anew, from what the journal has (sysexits.h: EX_IOERR).
    static var journalFailedStatus: CInt { 74 }

    /// What history begins with, where the configuration says so.
    func stateFile(_ configuration: ServerConfiguration) -> StateFile<State>? {
        configuration.stateFile.map { StateFile(path: $0, connect: connect) }
    }

    /// Ends the process at once: nobody is answered, because no answer would be true.
    static func end(after error: JournalError) {
        Log.error(
            "the journal failed: \(error); ending, so that a new start goes on from what it has"
        )
        Log.flush()
        _exit(journalFailedStatus)
    }
}

/// A journal that is open, and how it is closed.
struct OpenJournal: Sendable {
    let journal: any Journal
    /// Tells how old idempotency keys are.
    let keyClock = SteadyClock()
    let close: @Sendable () -> Void

    /// Opens the journal that the configuration asks for.
    ///
    /// - Throws: `JournalOpenError`, whose text is for the operator.
    init(_ configuration: ServerConfiguration) throws {
        if configuration.ephemeral {
            journal = MemoryJournal(retention: configuration.memoryRetention)
            close = {}
        } else {
            let durable = try SQLiteJournal(
                directory: configuration.dataDirectory,
                retention: configuration.retention,
                keyClock: keyClock,
                acceptDataLoss: configuration.acceptDataLoss,
                log: Log.warning
            )
            journal = durable
            close = durable.close
        }
    }
}

extension ServerConfiguration {
    /// What a journal in memory keeps: little, for it lives beside the state.
    fileprivate var memoryRetention: Retention {
        Retention(bytesMax: 64 << 20, recordsMax: UInt64(historyMax), snapshotsMax: 4)
    }

    /// What a journal on disk keeps.
    fileprivate var retention: Retention {
        Retention(
            secondsMax: retainSeconds > 0 ? UInt64(retainSeconds) : nil,
            bytesMax: retainBytes > 0 ? UInt64(retainBytes) : nil
        )
    }
}
