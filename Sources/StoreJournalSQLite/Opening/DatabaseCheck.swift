import StoreCore

/// The check of a database when the journal is opened. The result has the intact contents and the
/// damage.
struct DatabaseCheck {
    /// The intact contents, from the oldest record to the last intact record.
    var contents: DatabaseSummary
    /// The newest intact snapshot. The check reads the records after this snapshot.
    private(set) var snapshot: StoredSnapshot?
    /// The first fault; `nil` if everything is intact.
    private(set) var damage: String?
    /// False if the database itself is damaged. A database that only ends too early, or does not
    /// belong to the mark file, is sound.
    private(set) var isDatabaseSound = true

    /// Checks the newest snapshot, every record after it, the programs, and the outcomes of
    /// idempotency keys. Passes the snapshot and the records to the follower. The follower's result
    /// is invalid if there is ``damage``.
    ///
    /// Older records are checked when they are read.
    ///
    /// - Throws: ``DatabaseFailure/damaged(_:)`` if nothing can be recovered: the journal's
    ///   metadata is damaged, or the state can't be made from the intact records. Throws other
    ///   failures if the system can't read.
    init(
        of reader: Reader,
        mark: HighWaterMark?,
        follower: (any HistoryFollower)? = nil,
        log: (String) -> Void
    ) throws(DatabaseFailure) {
        contents = DatabaseSummary(try reader.readMeta())
        let damagedSnapshots = try findSnapshotPassingDamaged(reader, log)
        try run { (check) throws(DatabaseFailure) in
            try reader.checkRecordsReach(from: check.contents.meta.base, to: check.startPosition)
        }
        var programs: [RegisteredProgram] = []
        try run { (_) throws(DatabaseFailure) in programs = try reader.programs() }
        let marked = try followChain(reader, mark, follower, programs)
        try run { (check) throws(DatabaseFailure) in
            var newest: Int64 = 0
            check.contents.outcomesCount = try reader.countOutcomes {
                newest = max(newest, $0.time)
            }
            check.contents.newestKeyTime = newest
        }
        let end = contents.end.version
        try run { (check) throws(DatabaseFailure) in
            check.contents.snapshots = try reader.snapshotEntries().filter {
                !damagedSnapshots.contains($0.version) && $0.version <= end
            }
        }
        if damage == nil, let mark { checkMark(mark, marked) }
    }

    /// The position after which the check reads records.
    var startPosition: ChainPosition { snapshot?.position ?? contents.meta.base }

    /// Adds a fault. Only the first fault stays in ``damage``.
    mutating func noteDamage(_ fault: String) { damage = damage ?? fault }

    /// Runs one of the checks. If the check finds damage, adds the fault and returns, so that the
    /// next check can run. Throws all other errors.
    private mutating func run(
        _ check: (inout DatabaseCheck) throws(DatabaseFailure) -> Void
    ) throws(DatabaseFailure) {
        do throws(DatabaseFailure) { try check(&self) } catch {
            guard error.isDamage else { throw error }
            noteDamage("\(error)")
            isDatabaseSound = false
        }
    }

    private mutating func findSnapshotPassingDamaged(
        _ reader: Reader,
        _ log: (String) -> Void
    ) throws(DatabaseFailure) -> Set<UInt64> {
        var damaged: Set<UInt64> = []
        let base = contents.meta.base.version
        do throws(DatabaseFailure) {
            snapshot = try reader.newestSnapshot { version in
                damaged.insert(version)
                log("the snapshot of version \(version) is damaged; trying an older snapshot")
            }
        } catch {
            // Without a snapshot, the records suffice if they reach back to version 0.
            guard error.isDamage, base == 0 else { throw error }
            noteDamage("\(error)")
            isDatabaseSound = false
        }
        if snapshot == nil, base > 0 {
            throw .damaged(
                "no snapshot can be read, and the records before \(base + 1) were forgotten"
            )
        }
        contents.recordBytesTotal = snapshot?.recordBytesTotal ?? 0
        contents.end = startPosition
        return damaged
    }

    /// Reads the records after the snapshot. Returns the hash of the record at the mark's version;
    /// `nil` if that record was not read.
    private mutating func followChain(
        _ reader: Reader,
        _ mark: HighWaterMark?,
        _ follower: (any HistoryFollower)?,
        _ programs: [RegisteredProgram]
    ) throws(DatabaseFailure) -> ChainHash? {
        var marked: ChainHash?
        if let mark, contents.meta.base.version...startPosition.version ~= mark.end.version {
            try run { (_) throws(DatabaseFailure) in
                marked = try reader.position(at: mark.end.version).hash
            }
        }
        try run { (check) throws(DatabaseFailure) in
            defer { reader.resetRecordStatements() }
            let (start, bytesTotal) = (check.startPosition, check.contents.recordBytesTotal)
            let walk = try ChainWalk(reader, from: start, recordBytesTotal: bytesTotal, mark: mark)
            let newest = follower == nil ? 0 : try reader.newestVersion()
            let pages = ChainWalk.run(walk, check.beginFollower(follower, newest, programs))
            check.contents.end = pages.walk.reachedPosition
            check.contents.recordBytesTotal = pages.walk.recordBytesTotal
            marked = pages.walk.markedHash ?? marked
            if let failure = pages.failure { throw failure }
        }
        return marked
    }

    /// Returns the follower if the follower continues from the snapshot; `nil` otherwise.
    private func beginFollower(
        _ follower: (any HistoryFollower)?,
        _ newest: UInt64,
        _ programs: [RegisteredProgram]
    ) -> (any HistoryFollower)? {
        guard let follower, let found = snapshot?.unpacked else { return nil }
        return follower.begin(with: found, newest: newest, writtenBy: programs) ? follower : nil
    }

    private mutating func checkMark(_ mark: HighWaterMark, _ marked: ChainHash?) {
        if mark.epoch != contents.meta.epoch {
            damage = "the mark beside the database belongs to another history"
        } else if mark.end.version > contents.end.version {
            damage =
                "the records end at version \(contents.end.version), although version "
                + "\(mark.end.version) was durable already"
        } else if let marked, marked != mark.end.hash {
            damage = "record \(mark.end.version) is not the record that the mark names"
        }
    }
}

// Reading

extension Reader {
    func readMeta() throws(DatabaseFailure) -> MetaRow {
        if let read = try MetaRow.read(selectMeta) { return read }
        throw .damaged("the journal's metadata has changed since it was written")
    }

    /// Checks that the records begin directly after `base`, and that the chain has the snapshot's
    /// hash at the snapshot's version.
    func checkRecordsReach(
        from base: ChainPosition,
        to snapshot: ChainPosition
    ) throws(DatabaseFailure) {
        let first = try connection.queryInteger(
            "SELECT version FROM records ORDER BY version LIMIT 1"
        )
        let begin = first.map { UInt64(bitPattern: $0) }
        guard begin == base.version + 1 || (begin == nil && snapshot.version == base.version) else {
            throw .damaged("record \(base.version + 1) is missing")
        }
        guard try position(at: snapshot.version).hash == snapshot.hash else {
            throw .damaged("record \(snapshot.version) has changed since it was written")
        }
    }

    func snapshotEntries() throws(DatabaseFailure) -> [SnapshotEntry] {
        var entries: [SnapshotEntry] = []
        let sql = "SELECT version, time, bytes FROM snapshots ORDER BY version"
        let rows = try Statement(connection, sql)
        while try rows.step() {
            entries.append(
                SnapshotEntry(
                    version: UInt64(bitPattern: rows.integer(0)),
                    time: rows.integer(1),
                    recordBytesTotal: UInt64(bitPattern: rows.integer(2))
                )
            )
        }
        return entries
    }

    /// Checks and counts the outcomes of idempotency keys. Calls `body` with each outcome.
    ///
    /// Each outcome has a row in the table and an entry in the index by time. If a damaged page
    /// hides the row or the entry, the numbers of rows and of entries differ.
    func countOutcomes(_ body: (KeptOutcome) -> Void = { _ in }) throws(DatabaseFailure) -> Int {
        var count = 0
        let all = try forEachIntactOutcome { outcome in
            body(outcome)
            count += 1
            return true
        }
        let indexed = try connection.queryInteger(
            "SELECT count(*) FROM outcomes INDEXED BY outcomes_by_time"
        )
        guard all, indexed == Int64(count) else {
            throw .damaged("an idempotency key has changed since it was written")
        }
        return count
    }

    /// Calls `body` with each intact outcome, until `body` returns false. Returns false if any
    /// outcome that was read is damaged.
    func forEachIntactOutcome(_ body: (KeptOutcome) -> Bool) throws(DatabaseFailure) -> Bool {
        var all = true
        let rows = try Statement(
            connection,
            """
            SELECT fingerprint, first, last, changed, time, sum, key, principal
            FROM outcomes ORDER BY key, principal
            """
        )
        while try rows.step() {
            let principal = rows.string(7)
            let key = IdempotencyKey(
                principal: principal.isEmpty ? nil : String(principal.dropFirst()),
                key: rows.string(6)
            )
            guard let outcome = outcome(rows, of: key) else {
                all = false
                continue
            }
            guard body(outcome) else { return all }
        }
        return all
    }
}

extension RecordFields {
    /// The size of payload and meta, in bytes.
    var payloadAndMetaBytes: UInt64 { UInt64(payload.count + (meta?.count ?? 0)) }
}
