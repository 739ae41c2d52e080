import StoreCore

extension Writer {
    /// The most rows that one transaction forgets.
    static let forgottenRowsMax = 1_000

    /// Forgets the oldest records, no later than `last`, which has a snapshot.
    ///
    /// - Returns: whether there are more.
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
            // A missing record is damage. A read reports it; until then nothing is forgotten.
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

    /// Forgets the oldest outcomes: those of before `cutoff`, and those beyond the count.
    ///
    /// - Returns: whether there are more.
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
