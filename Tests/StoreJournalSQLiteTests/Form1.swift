import StoreCore

@testable import StoreJournalSQLite

/// Files of form 1, in which no record has a session.
enum Form1 {
    /// Returns a record in the form in which servers of that time wrote it.
    static func record(_ version: UInt64) -> Record {
        let sample = SampleHistory.record(version)
        return Record(
            version: version,
            time: sample.time,
            type: sample.type,
            payload: sample.payload,
            meta: sample.meta,
            principal: sample.principal,
            requestID: sample.requestID,
            changed: sample.changed,
            cause: version.isMultiple(of: 7) ? version - 1 : nil,
            origin: version.isMultiple(of: 3) ? "127.0.0.1 curl/8.5.0" : nil
        )
    }

    /// Returns a folder with a history of 40 versions, and a snapshot at each of these versions.
    static func folder(snapshots: [UInt64] = []) throws -> Folder {
        let folder = try Folder()
        let journal = try SQLiteJournal.open(folder)
        for version in 1...UInt64(40) {
            let outcomes = [SampleHistory.outcome(version)]
            let batch = JournalBatch(records: [record(version)], outcomes: outcomes)
            try journal.append(batch, at: version - 1)
            if snapshots.contains(version) { try journal.save(SampleHistory.snapshot(version)) }
        }
        journal.close()
        try execute(goingBack, in: folder)
        return folder
    }

    /// Statements that bring back the table of form 1, with the same rows.
    private static let goingBack = [
        "BEGIN",
        "ALTER TABLE records RENAME TO newer",
        """
        CREATE TABLE records (
            version INTEGER PRIMARY KEY,
            time INTEGER NOT NULL,
            changed INTEGER NOT NULL,
            type TEXT NOT NULL,
            payload BLOB NOT NULL,
            meta BLOB,
            principal TEXT,
            request TEXT,
            hash BLOB NOT NULL,
            cause INTEGER,
            origin TEXT
        )
        """,
        """
        INSERT INTO records
        SELECT version, time, changed, type, payload, meta, principal, request, hash, cause, origin
        FROM newer
        """,
        "DROP TABLE newer",
        "DROP TABLE programs",
        "PRAGMA user_version = 1",
        "COMMIT",
    ]

    /// Executes statements in the database of a folder.
    static func execute(_ statements: [String], in folder: Folder) throws {
        let connection = try Connection(path: folder.path + "/store.db", for: .write)
        for statement in statements { try connection.execute(statement) }
    }

    /// Returns the form of a folder's database, and the statement of its table of records.
    static func form(of folder: Folder) throws -> (number: Int64, records: String) {
        let connection = try Connection(path: folder.path + "/store.db", for: .read)
        let sql = "SELECT sql FROM sqlite_master WHERE name = 'records'"
        return (try Schema.format(of: connection), try connection.queryText(sql))
    }
}
