import StoreCore

extension SQLiteJournal {
    /// Deletes records, snapshots and outcomes beyond the bounds of retention. The transactions are
    /// small, so that appends can run between them.
    func applyRetention() throws(JournalError) {
        let now = clock.now()
        let retention = retention
        let last = try withWriter { (writer, _) throws(JournalError) -> UInt64 in
            try writer.thinSnapshots(max: retention.snapshotsMax)
            return retention.lastDeletableVersion(writer, now)
        }
        while try deleteSome({ (writer) throws(JournalError) in
            try writer.deleteRecords(through: last)
        }) {}
        if last > 0 {
            // Snapshots before the oldest record have become useless.
            try withWriter { (writer, _) throws(JournalError) in
                try writer.thinSnapshots(max: retention.snapshotsMax)
            }
        }
        let cutoff = keyClock.now().subtractingSeconds(retention.keySecondsMax)
        while try deleteSome({ (writer) throws(JournalError) in
            try writer.deleteOutcomes(before: cutoff, countMax: Int(clamping: retention.keysMax))
        }) {}
    }

    private func deleteSome(_ body: (Writer) throws(JournalError) -> Bool) throws(JournalError)
        -> Bool
    {
        let (more, notice) = try withWriter { (writer, _) throws(JournalError) in
            (try body(writer), writer.checkpointIfDue())
        }
        if let notice { log(notice) }
        return more
    }
}

extension Retention {
    /// Returns the version up to which all records may be deleted; 0 if no record may be deleted.
    ///
    /// A result above 0 is the version of a snapshot, so that the remaining records follow a known
    /// state.
    fileprivate func lastDeletableVersion(_ writer: Writer, _ now: Int64) -> UInt64 {
        let cutoff = secondsMax.map { now.subtractingSeconds($0) }
        let superseded = writer.contents.snapshots.last { snapshot in
            if let cutoff, snapshot.time < cutoff { return true }
            if let bytesMax,
                writer.contents.recordBytesTotal - snapshot.recordBytesTotal >= bytesMax
            {
                return true
            }
            if let recordsMax, writer.contents.end.version - snapshot.version >= recordsMax {
                return true
            }
            return false
        }
        return superseded?.version ?? 0
    }
}

extension Int64 {
    /// Returns the time `seconds` before this time, in nanoseconds since 1970. A result that would
    /// overflow is clamped.
    fileprivate func subtractingSeconds(_ seconds: UInt64) -> Int64 {
        let (span, over) = Int64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (time, under) = subtractingReportingOverflow(over ? .max : span)
        return under ? .min : time
    }
}

extension Writer {
    /// The maximum number of rows that one transaction deletes.
    static let rowsPerDeletionMax = 1_000

    /// Deletes the oldest records, up to the version `last`, in one transaction. The version `last`
    /// must have a snapshot. Returns true if more records up to `last` remain.
    func deleteRecords(through last: UInt64) throws(JournalError) -> Bool {
        let base = contents.meta.base.version
        guard base < last, last <= contents.end.version else { return false }
        let through = min(base + UInt64(Self.rowsPerDeletionMax), last)
        let newMeta = try withTransaction { (writer) throws(DatabaseFailure) in
            var fresh = writer.contents.meta
            let sql = "SELECT hash FROM records WHERE version = ?"
            let hash = try Statement(writer.connection, sql)
            try hash.bind(1, Int64(clamping: through))
            // A missing record is damage. The next read of that record reports the damage; this
            // call deletes nothing.
            guard try hash.step(), let baseHash = ChainHash(hash.bytes(0)) else { return fresh }
            hash.reset()
            fresh.base = ChainPosition(version: through, hash: baseHash)
            let delete = try Statement(writer.connection, "DELETE FROM records WHERE version <= ?")
            try delete.bind(1, Int64(clamping: through))
            try delete.run()
            try fresh.write(to: writer.connection)
            return fresh
        }
        defer { contents.meta = newMeta }
        return newMeta.base.version > base && through < last
    }

    /// Deletes outcomes that were last used before `cutoff`, and the oldest outcomes if there are
    /// more than `countMax`. Returns true if there may be more to delete.
    func deleteOutcomes(before cutoff: Int64, countMax: Int) throws(JournalError) -> Bool {
        let old = try deleteOutcomes(
            where: "WHERE time < \(cutoff)",
            limit: Self.rowsPerDeletionMax
        )
        let surplus = min(contents.outcomesCount - countMax, Self.rowsPerDeletionMax)
        let many = surplus > 0 ? try deleteOutcomes(where: "", limit: surplus) : 0
        return old == Self.rowsPerDeletionMax || many == Self.rowsPerDeletionMax
    }

    private func deleteOutcomes(where which: String, limit count: Int) throws(JournalError) -> Int {
        let forgotten = try withTransaction { (writer) throws(DatabaseFailure) in
            let delete = try Statement(
                writer.connection,
                """
                DELETE FROM outcomes WHERE (key, principal) IN (
                    SELECT key, principal FROM outcomes \(which) ORDER BY time LIMIT \(count)
                )
                """
            )
            try delete.run()
            return delete.changedRowsCount
        }
        contents.outcomesCount -= forgotten
        return forgotten
    }
}
