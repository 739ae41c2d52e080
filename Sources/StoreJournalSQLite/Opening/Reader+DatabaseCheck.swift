import StoreCore

extension Reader {
    func readMeta() throws(ReadFailure) -> MetaRow {
        do throws(SQLiteFailure) {
            if let read = try MetaRow.read(meta) { return read }
        } catch {
            throw .sqlite(error)
        }
        throw .damaged("the journal's metadata has changed since it was written")
    }

    /// Checks that the records begin directly after `base`, and that the chain has the snapshot's
    /// hash at its version.
    func checkRecordsReach(
        from base: ChainPosition,
        to snapshot: ChainPosition
    ) throws(ReadFailure) {
        let first: Int64?
        do throws(SQLiteFailure) {
            first = try connection.integer("SELECT version FROM records ORDER BY version LIMIT 1")
        } catch {
            throw .sqlite(error)
        }
        let begin = first.map { UInt64(bitPattern: $0) }
        guard begin == base.version + 1 || (begin == nil && snapshot.version == base.version) else {
            throw .damaged("record \(base.version + 1) is missing")
        }
        guard try position(at: snapshot.version).hash == snapshot.hash else {
            throw .damaged("record \(snapshot.version) has changed since it was written")
        }
    }

    func snapshotEntries() throws(ReadFailure) -> [SnapshotEntry] {
        var entries: [SnapshotEntry] = []
        do throws(SQLiteFailure) {
            let rows = try Statement(
                connection,
                "SELECT version, time, bytes FROM snapshots ORDER BY version"
            )
            while try rows.step() {
                entries.append(
                    SnapshotEntry(
                        version: UInt64(bitPattern: rows.integer(0)),
                        time: rows.integer(1),
                        bytesTotal: UInt64(bitPattern: rows.integer(2))
                    )
                )
            }
        } catch {
            throw .sqlite(error)
        }
        return entries
    }

    /// Checks the outcomes of idempotency keys, and counts them.
    ///
    /// Rows are stored in the table and in the index by time. If a damaged page hides a row in one
    /// of them, the count of the other one reveals it.
    func countOutcomes(
        _ body: (KeptOutcome) -> Void = { _ in }
    ) throws(ReadFailure) -> Int {
        var count = 0
        let all = try forEachOutcome { outcome in
            body(outcome)
            count += 1
            return true
        }
        let indexed: Int64?
        do throws(SQLiteFailure) {
            indexed = try connection.integer(
                "SELECT count(*) FROM outcomes INDEXED BY outcomes_by_time"
            )
        } catch {
            throw .sqlite(error)
        }
        guard all, indexed == Int64(count) else {
            throw .damaged("an idempotency key has changed since it was written")
        }
        return count
    }

    /// Calls `body` with each intact outcome, until `body` returns false.
    ///
    /// - Returns: true if no outcome so far was damaged.
    func forEachOutcome(_ body: (KeptOutcome) -> Bool) throws(ReadFailure) -> Bool {
        var all = true
        do throws(SQLiteFailure) {
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
        } catch {
            throw .sqlite(error)
        }
        return all
    }
}

extension RecordFields {
    /// The bytes of payload and meta.
    var bytesCount: UInt64 { UInt64(payload.count + (meta?.count ?? 0)) }
}
