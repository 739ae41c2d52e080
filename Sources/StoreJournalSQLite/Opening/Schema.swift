/// The numbered forms of the file: the tables and indexes of each form. A file of an unknown form
/// is rejected; a form is never guessed.
enum Schema {
    /// The number that marks the file as a journal's database
    /// (sqlite.org/pragma.html#pragma_application_id).
    static let applicationID: Int64 = 0x5354_4A4C  // "STJL"
    /// The number of the newest form. Any change in this type or in a canonical form
    /// (``CanonicalBytes``) needs a new number.
    ///
    /// Form 2 adds the session of each record. Form 3 adds the programs, and the program of each
    /// record.
    static let newestFormat: Int64 = 3
    /// The forms that can be read. The journal upgrades an older file when it opens the file for
    /// writing.
    static let readableFormats: ClosedRange<Int64> = 1...newestFormat

    /// Returns the tables and indexes of a form, sorted by name. Each element has the name, and the
    /// statement that makes the table or index.
    private static func objects(of format: Int64) -> [(name: String, sql: String)] {
        let records =
            switch format {
            case 1: recordsTableSQL(adding: "")
            case 2: recordsTableSQL(adding: ", session TEXT")
            default: recordsTableSQL(adding: ", session TEXT, program INTEGER")
            }
        return [
            ("meta", metaTableSQL), ("outcomes", outcomesTableSQL),
            ("outcomes_by_time", outcomesByTimeIndexSQL),
        ]
            + (format < 3 ? [] : [("programs", programsTableSQL)])
            + [("records", records), ("snapshots", snapshotsTableSQL)]
    }

    /// The table of metadata, with one row. `origin` is the epoch under which the chain began.
    /// `base` and `base_hash` are the version and the hash of the last deleted record.
    private static let metaTableSQL = """
        CREATE TABLE meta (
            id INTEGER PRIMARY KEY,
            epoch INTEGER NOT NULL,
            origin INTEGER NOT NULL,
            base INTEGER NOT NULL,
            base_hash BLOB NOT NULL,
            sum BLOB NOT NULL
        )
        """

    /// Returns the statement that makes the table of records. An upgraded file has exactly the same
    /// statement in SQLite's schema.
    private static func recordsTableSQL(adding columns: String) -> String {
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
        """ + (columns.isEmpty ? "\n)" : "\n" + columns + ")")
    }

    /// The table of programs; `began` orders the programs by their last registration.
    private static let programsTableSQL = """
        CREATE TABLE programs (
            number INTEGER PRIMARY KEY,
            began INTEGER NOT NULL,
            digest TEXT NOT NULL,
            forms BLOB NOT NULL,
            sum BLOB NOT NULL
        )
        """

    /// The table of outcomes; `principal` is empty if the sender is unknown, else "=" and the name.
    private static let outcomesTableSQL = """
        CREATE TABLE outcomes (
            key TEXT NOT NULL,
            principal TEXT NOT NULL,
            fingerprint BLOB NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            changed INTEGER NOT NULL,
            time INTEGER NOT NULL,
            sum INTEGER NOT NULL,
            PRIMARY KEY (key, principal)
        ) WITHOUT ROWID
        """

    private static let outcomesByTimeIndexSQL = "CREATE INDEX outcomes_by_time ON outcomes (time)"

    /// The table of snapshots. `size` is the size of the state before compression. `bytes` is the
    /// total size of payload and meta of all records up to the snapshot. `hash` is the chain's hash
    /// at the snapshot's version.
    private static let snapshotsTableSQL = """
        CREATE TABLE snapshots (
            version INTEGER PRIMARY KEY,
            time INTEGER NOT NULL,
            form TEXT NOT NULL,
            size INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            hash BLOB NOT NULL,
            state_hash BLOB NOT NULL,
            state BLOB NOT NULL
        )
        """

    static func create(in connection: Connection, _ meta: MetaRow) throws(DatabaseFailure) {
        try connection.execute("BEGIN IMMEDIATE")
        try connection.execute("PRAGMA application_id = \(applicationID)")
        try connection.execute("PRAGMA user_version = \(newestFormat)")
        for object in objects(of: newestFormat) { try connection.execute(object.sql) }
        try meta.write(to: connection)
        try connection.execute("COMMIT")
    }

    /// Returns the form in the header of a database.
    static func format(of connection: Connection) throws(DatabaseFailure) -> Int64 {
        try connection.queryInteger("PRAGMA user_version") ?? 0
    }

    /// Upgrades an older form in one transaction. No record is rewritten: SQLite reads a new column
    /// as NULL if a row ends before it.
    static func upgrade(_ connection: Connection, from old: Int64) throws(DatabaseFailure) {
        try connection.execute("BEGIN IMMEDIATE")
        do throws(DatabaseFailure) {
            if old < 2 { try connection.execute("ALTER TABLE records ADD COLUMN session TEXT") }
            try connection.execute("ALTER TABLE records ADD COLUMN program INTEGER")
            try connection.execute(programsTableSQL)
            try connection.execute("PRAGMA user_version = \(newestFormat)")
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Returns true if the database has exactly the tables and indexes of a form.
    static func isIntact(in connection: Connection, format: Int64) throws(DatabaseFailure) -> Bool {
        let statement = try Statement(
            connection,
            "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
        )
        for object in objects(of: format) {
            guard try statement.step(), statement.string(0) == object.name,
                statement.string(1) == object.sql
            else { return false }
        }
        return try !statement.step()
    }
}
