import CStoreSQLite
import StoreCore
import StorePlatform

/// The only connection that writes and checkpoints, with its prepared statements.
///
/// SQLite 3.7.0 to 3.51.2 can damage a database if two connections write or checkpoint while the
/// write-ahead log is reset. Here only this class writes and checkpoints, under one lock. The lock
/// on the directory excludes other processes.
///
/// The write-ahead log is bounded. If a commit leaves ``walPagesMax`` pages or more in the log, the
/// writer moves these pages into the database. SQLite restarts the log when no reader uses its old
/// pages. Read transactions are short, because each reads one page of history. Only a backup and a
/// full check have longer transactions. During these, the log grows with each append. Afterwards,
/// the log is cut to ``walSizeLimitBytes``.
///
/// Safety: the writer is only reached through the journal's write lock.
final class Writer: @unchecked Sendable {
    /// The number of pages in the write-ahead log at which the writer moves them into the database.
    static let walPagesMax: CInt = 1_000
    static let walSizeLimitBytes = 16 << 20
    let connection: Connection
    /// The contents of the database, with the records of an open transaction.
    var contents: DatabaseSummary
    /// The error after which the writer writes nothing more; `nil` if there was no such error.
    /// After a failed sync, SQLite and the disk may have different contents. A later record could
    /// then follow a missing record.
    private(set) var stopReason: String?

    private let begin: Statement
    private let commit: Statement
    private let rollback: Statement
    /// The statement that inserts a record; `nil` if the file keeps an older form and is only read.
    private let insertRecord: Statement?
    private let insertOutcome: Statement
    private let countOutcome: Statement
    private var formBuffer = CanonicalBytes()
    /// The parameters of `insertRecord` that are NULL already, as bits. Bindings stay after a run,
    /// so the next record need not bind the same NULLs again.
    private var nullParameterBits: UInt16 = 0
    private let walPagesCount: UnsafeMutablePointer<CInt>

    init(_ connection: Connection, _ contents: DatabaseSummary) throws(DatabaseFailure) {
        self.connection = connection
        self.contents = contents
        begin = try Statement(connection, "BEGIN IMMEDIATE")
        commit = try Statement(connection, "COMMIT")
        rollback = try Statement(connection, "ROLLBACK")
        insertRecord =
            contents.format < Schema.newestFormat
            ? nil
            : try Statement(
                connection,
                """
                INSERT INTO records (
                    version, time, changed, type, payload, meta, principal, request, hash, cause,
                    origin, session, program
                )
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
            )
        insertOutcome = try Statement(
            connection,
            """
            REPLACE INTO outcomes (key, principal, fingerprint, first, last, changed, time, sum)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        countOutcome = try Statement(
            connection,
            "SELECT count(*) FROM outcomes WHERE key = ? AND principal = ?"
        )
        walPagesCount = .allocate(capacity: 1)
        walPagesCount.initialize(to: 0)
        // Safety: SQLite calls the hook within a COMMIT of this connection, and so under the write
        // lock. `deinit` removes the hook before it frees the memory of the number.
        sqlite3_wal_hook(
            connection.handle,
            { pages, _, _, count in
                pages?.assumingMemoryBound(to: CInt.self).pointee = count
                return SQLITE_OK
            },
            walPagesCount
        )
    }

    deinit {
        sqlite3_wal_hook(connection.handle, nil, nil)
        walPagesCount.deallocate()
    }

    /// Runs `body` in a transaction of its own, and returns when its writes are durable. Adds the
    /// duration of the sync to `syncs`.
    ///
    /// - Throws: ``JournalError/storageFull`` after everything was rolled back, so that the caller
    ///   may try again. Any other error is final. The sync may have failed, and a failed sync is
    ///   never repeated.
    func withTransaction<Result>(
        timing syncs: Histogram? = nil,
        _ body: (Writer) throws(DatabaseFailure) -> Result
    ) throws(JournalError) -> Result {
        if let stopReason { throw .unknown(stopReason) }
        do throws(DatabaseFailure) {
            try begin.run()
            let result = try body(self)
            let written = syncs == nil ? 0 : SystemTime.steadyNanoseconds()
            try commit.run()
            syncs?.observe(SystemTime.steadyNanoseconds() &- written)
            return result
        } catch {
            throw rollBack(after: error)
        }
    }

    private func rollBack(after failure: DatabaseFailure) -> JournalError {
        var full = failure.isFull
        if connection.isInTransaction {
            do throws(DatabaseFailure) {
                try rollback.run()
            } catch {
                full = false
            }
        }
        return full ? .storageFull : stopWriting(after: failure)
    }

    private func stopWriting(after failure: DatabaseFailure) -> JournalError {
        stopReason = "the journal stopped writing after an error: \(failure)"
        return failure.nonRetryableError
    }

    /// Writes a batch and makes it durable. The first record has to follow the last record of
    /// ``contents``.
    func write(_ batch: JournalBatch, timing syncs: Histogram? = nil) throws(JournalError) {
        let before = (contents.end, contents.recordBytesTotal, contents.outcomesCount)
        do throws(JournalError) {
            try withTransaction(timing: syncs) { (writer) throws(DatabaseFailure) in
                for record in batch.records { try writer.insert(record) }
                for outcome in batch.outcomes { try writer.insert(outcome) }
            }
        } catch {
            (contents.end, contents.recordBytesTotal, contents.outcomesCount) = before
            throw error
        }
    }

    private func insert(_ record: Record) throws(DatabaseFailure) {
        guard let insertRecord else {
            throw connection.failure(SQLITE_READONLY, "appending to a file of an older form")
        }
        let fields = formBuffer.replace(with: record, after: contents.end.hash)
        let hash = formBuffer.hash
        try insertRecord.bind(1, Int64(bitPattern: fields.version))
        try insertRecord.bind(2, fields.time)
        try insertRecord.bind(3, fields.changed ? 1 : 0)
        try insertRecord.bind(4, text: fields.type)
        try insertRecord.bind(5, blob: fields.payload)
        var nulls = nullParameterBits
        // If a bind fails, the next record has to bind all of its NULLs again.
        self.nullParameterBits = 0
        if let meta = fields.meta {
            nulls &= ~(1 << 6)
            try insertRecord.bind(6, blob: meta)
        } else {
            try insertRecord.bindNull(6, unless: &nulls)
        }
        try insertRecord.bind(7, fields.principal, &nulls)
        try insertRecord.bind(8, fields.requestID, &nulls)
        try insertRecord.bind(10, fields.cause.map { Int64(bitPattern: $0) }, &nulls)
        try insertRecord.bind(11, fields.origin, &nulls)
        try insertRecord.bind(12, fields.session, &nulls)
        try insertRecord.bind(13, fields.program > 0 ? Int64(fields.program) : nil, &nulls)
        self.nullParameterBits = nulls
        try hash.withBytes { (bytes) throws(DatabaseFailure) in
            try insertRecord.bind(9, blob: bytes)
            try insertRecord.run()
        }
        contents.end = ChainPosition(version: fields.version, hash: hash)
        contents.recordBytesTotal += UInt64(record.byteCount)
    }

    private func insert(_ outcome: KeptOutcome) throws(DatabaseFailure) {
        let fields = formBuffer.replace(with: outcome)
        try countOutcome.bind(1, text: fields.key)
        try countOutcome.bind(2, text: fields.principal)
        if try countOutcome.step(), countOutcome.integer(0) == 0 { contents.outcomesCount += 1 }
        countOutcome.reset()
        try insertOutcome.bind(1, text: fields.key)
        try insertOutcome.bind(2, text: fields.principal)
        try insertOutcome.bind(3, blob: fields.fingerprint)
        try insertOutcome.bind(4, Int64(bitPattern: outcome.firstVersion))
        try insertOutcome.bind(5, Int64(bitPattern: outcome.lastVersion))
        try insertOutcome.bind(6, outcome.changed ? 1 : 0)
        try insertOutcome.bind(7, outcome.time)
        try insertOutcome.bind(8, formBuffer.outcomeChecksum)
        try insertOutcome.run()
        contents.newestKeyTime = max(contents.newestKeyTime, outcome.time)
    }

    /// Moves the log's pages into the database if the log has too many pages. Returns a line for
    /// the operator if the move fails.
    func checkpointIfDue() -> String? {
        guard stopReason == nil, walPagesCount.pointee >= Self.walPagesMax else { return nil }
        return checkpoint(SQLITE_CHECKPOINT_PASSIVE)
    }

    /// Moves all pages into the database, and empties the log. Returns a line for the operator if
    /// the move fails.
    func checkpointAll() -> String? {
        guard stopReason == nil else { return nil }
        return checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
    }

    private func checkpoint(_ mode: CInt) -> String? {
        let code = connection.withoutWaiting {
            sqlite3_wal_checkpoint_v2(connection.handle, nil, mode, nil, nil)
        }
        // If a reader uses old pages, the next checkpoint moves the remaining pages.
        if code == SQLITE_OK || code & 0xFF == SQLITE_BUSY { return nil }
        let failure = connection.failure(code, "moving the write-ahead log into the database")
        if failure.isFull { return "\(failure); the server tries again with the next appends" }
        _ = stopWriting(after: failure)
        return "\(failure); nothing more is written until the server starts again"
    }
}

extension Statement {
    /// Binds a text or NULL. `nulls` has a bit for each parameter that is already NULL.
    fileprivate func bind(
        _ index: CInt,
        _ text: UnsafeRawBufferPointer?,
        _ nulls: inout UInt16
    ) throws(DatabaseFailure) {
        guard let text else { return try bindNull(index, unless: &nulls) }
        nulls &= ~(1 << index)
        try bind(index, text: text)
    }

    /// Binds a number or NULL.
    fileprivate func bind(
        _ index: CInt,
        _ number: Int64?,
        _ nulls: inout UInt16
    ) throws(DatabaseFailure) {
        guard let number else { return try bindNull(index, unless: &nulls) }
        nulls &= ~(1 << index)
        try bind(index, number)
    }

    fileprivate func bindNull(_ index: CInt, unless nulls: inout UInt16) throws(DatabaseFailure) {
        guard nulls & 1 << index == 0 else { return }
        try bindNull(index)
        nulls |= 1 << index
    }
}
