import StoreCore

extension Writer {
    /// The most rows that one transaction deletes.
    static let forgottenRowsMax = 1_000

    /// Deletes the oldest records, up to `last` at most, which must have a snapshot.
    ///
    /// - Returns: true if there are more records to delete.
    func forgetRecords(through last: UInt64) throws(JournalError) -> Bool {
        let base = meta.base.version
        guard base < last, last <= end.version else { return false }
        let through = min(base + UInt64(Self.forgottenRowsMax), last)
        let fresh = try transaction { (writer) throws(SQLiteFailure) in
            var fresh = writer.meta
            let hash = try Statement(
                writer.connection,
                "SELECT hash FROM records WHERE version = ?"
            )
            try hash.bind(1, Int64(clamping: through))
            // A missing record is damage, and reading it reports an error. Until then, nothing is
            // deleted.
            guard try hash.step(), let baseHash = ChainHash(hash.bytes(0)) else { return fresh }
            hash.reset()
            fresh.base = ChainPosition(version: through, hash: baseHash)
            let delete = try Statement(writer.connection, "DELETE FROM records WHERE version <= ?")
            try delete.bind(1, Int64(clamping: through))
            try delete.run()
            try fresh.write(to: writer.connection)
            return fresh
        }
        defer { meta = fresh }
        return fresh.base.version > base && through < last
    }

    /// Deletes the oldest outcomes: those before `cutoff`, and those beyond `max`.
    ///
    /// - Returns: true if there may be more outcomes to delete.
    func forgetOutcomes(before cutoff: Int64, max: Int) throws(JournalError) -> Bool {
        let old = try forgetOutcomes("WHERE time < \(cutoff)", Self.forgottenRowsMax)
        let surplus = min(outcomesCount - max, Self.forgottenRowsMax)
        let many = surplus > 0 ? try forgetOutcomes("", surplus) : 0
        return old == Self.forgottenRowsMax || many == Self.forgottenRowsMax
    }

    private func forgetOutcomes(_ which: String, _ count: Int) throws(JournalError) -> Int {
        let forgotten = try transaction { (writer) throws(SQLiteFailure) in
            let delete = try Statement(
                writer.connection,
                """
                DELETE FROM outcomes WHERE (key, principal) IN (
                    SELECT key, principal FROM outcomes \(which) ORDER BY time LIMIT \(count)
                )
                """
            )
            try delete.run()
            return delete.changes
        }
        outcomesCount -= forgotten
        return forgotten
    }
}
