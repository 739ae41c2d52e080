public import StoreCore

extension SQLiteJournal {
    /// The maximum number of faults of SQLite's own check that a report lists.
    static let treeFaultsMax = 100

    /// Checks the whole chain, every snapshot, outcome and program, and the B-trees of SQLite.
    ///
    /// Any thread may call this function while other threads append and read. Records that are
    /// appended meanwhile are not checked. Cost: reads the whole database twice.
    ///
    /// - Parameter progress: gets the version that was reached, about every 10,000 records.
    /// - Returns: the versions in the journal, and the faults. At most 100 faults are from SQLite's
    ///   own check.
    /// - Throws: ``JournalError`` if the system can't read. Damage is part of the report instead.
    public func verifyAll(
        progress: (UInt64) -> Void = { _ in }
    ) throws(JournalError) -> JournalReport {
        var report = JournalReport(oldestVersion: oldestVersion, newestVersion: version)
        try verifyRecords(&report, progress)
        for verify in [
            Reader.verifySnapshots, Reader.verifyOutcomes, Reader.verifyPrograms,
            Reader.verifyTrees,
        ] {
            try withReader { (reader) throws(DatabaseFailure) in
                try reader.withTransaction { (reader) throws(DatabaseFailure) in
                    do throws(DatabaseFailure) {
                        try verify(reader)(&report)
                    } catch {
                        guard error.isDamage else { throw error }
                        report.faults.append("\(error)")
                    }
                }
            }
        }
        return report
    }

    private func verifyRecords(
        _ report: inout JournalReport,
        _ progress: (UInt64) -> Void
    ) throws(JournalError) {
        var after = report.oldestVersion - 1
        while after < report.newestVersion {
            let last = min(report.newestVersion, after + Self.verifiedRecordsPerRead)
            do throws(JournalError) {
                try withReader { (reader) throws(DatabaseFailure) in
                    try reader.forEachRecord(after: after, through: last) { _, _ in
                        report.recordsCount += 1
                        return true
                    }
                }
            } catch {
                switch error {
                case .gone(let oldest):
                    // Records were deleted after the check began: begin again at the oldest record.
                    report.oldestVersion = oldest
                    report.recordsCount = 0
                    after = oldest - 1
                    continue
                case .corrupt(let what):
                    report.faults.append(what)
                    return
                default: throw error
                }
            }
            after = last
            progress(after)
        }
    }
}

extension Reader {
    fileprivate func verifySnapshots(_ report: inout JournalReport) throws(DatabaseFailure) {
        for entry in try snapshotEntries() {
            if let fault = try fault(ofSnapshot: entry.version) {
                report.faults.append("the snapshot of version \(entry.version) \(fault)")
            } else {
                report.snapshotsCount += 1
            }
        }
    }

    private func fault(ofSnapshot version: UInt64) throws(DatabaseFailure) -> String? {
        guard let snapshot = try storedSnapshot(of: version) else { return "is damaged" }
        guard snapshot.isSealed || snapshot.unpacked != nil else { return "can't be unpacked" }
        guard version >= (try readMeta().base.version) else { return nil }
        defer { resetRecordStatements() }
        let hash = try RecordRows(self, after: version).currentPosition.hash
        return hash == snapshot.position.hash ? nil : "belongs to another history"
    }

    fileprivate func verifyOutcomes(_ report: inout JournalReport) throws(DatabaseFailure) {
        let newest = try newestVersion()
        var ahead = 0
        report.outcomesCount = try countOutcomes { outcome in
            if outcome.firstVersion > outcome.lastVersion || outcome.lastVersion > newest {
                ahead += 1
            }
        }
        if ahead > 0 {
            report.faults.append("\(ahead) idempotency keys name versions that are not there")
        }
    }

    fileprivate func verifyPrograms(_ report: inout JournalReport) throws(DatabaseFailure) {
        for number in try checkedPrograms().damaged {
            report.faults.append(
                "the forms of program \(number) have changed since they were written"
            )
        }
    }

    fileprivate func verifyTrees(_ report: inout JournalReport) throws(DatabaseFailure) {
        let check = try Statement(
            connection,
            "PRAGMA integrity_check(\(SQLiteJournal.treeFaultsMax))"
        )
        while try check.step() {
            let line = check.string(0)
            if line != "ok" { report.faults.append(line) }
        }
    }

    func newestVersion() throws(DatabaseFailure) -> UInt64 {
        if let newest = try connection.queryInteger("SELECT max(version) FROM records"), newest > 0
        {
            return UInt64(bitPattern: newest)
        }
        return try readMeta().base.version
    }
}

/// The result of a check of everything in a journal.
public struct JournalReport: Sendable, Equatable {
    /// The oldest version with a record; one more than ``newestVersion`` if there are no records.
    public var oldestVersion: UInt64
    /// The newest version.
    public var newestVersion: UInt64
    /// The number of records in the chain that were checked without a fault.
    public var recordsCount: UInt64 = 0
    /// The number of intact snapshots.
    public var snapshotsCount = 0
    /// The number of intact outcomes of idempotency keys.
    public var outcomesCount = 0
    /// The faults, as texts for the operator; empty if everything is intact.
    public var faults: [String] = []

    /// True if there are no faults.
    public var isIntact: Bool { faults.isEmpty }
}
