import StoreCore

/// What a look at a database found.
struct Examination {
    /// What is intact, from the beginning that is kept to an end.
    var history: History
    /// Where reading begins: the newest snapshot that is intact, or where the records begin.
    var start: Link
    /// What is wrong with it; `nil` where all is well.
    var damage: String?
}

/// What a journal's writer has to know to go on.
struct History: Equatable {
    var meta: Meta
    var end: Link
    /// What the payloads and the meta of all records took, from the beginning of history on.
    var bytesTotal: UInt64
    var outcomesCount: Int
    /// The snapshots that are kept, in ascending order.
    var snapshots: [SnapshotPlace]

    /// A history that begins.
    init(_ meta: Meta) {
        self.meta = meta
        end = meta.base
        bytesTotal = 0
        outcomesCount = 0
        snapshots = []
    }
}

extension Examination {
    /// Checks the newest snapshot, every record after it, and what is kept of idempotency keys.
    ///
    /// Older records are checked when they are read.
    init(
        of reader: Reader,
        mark: Mark?,
        log: (String) -> Void
    ) throws(ReadFailure) {
        let meta = try reader.readMeta()
        history = History(meta)
        start = meta.base
        do throws(ReadFailure) {
            if let snapshot = try reader.newestSnapshot(log: log) {
                start = snapshot.link
                history.end = start
                history.bytesTotal = snapshot.bytesTotal
            } else if meta.base.version > 0 {
                throw .damaged(
                    "no snapshot can be read, and the records before \(meta.base.version + 1) were"
                        + " forgotten"
                )
            }
            let last = try reader.lastVersion(since: meta.base, snapshot: start)
            try followChain(reader, through: last, mark: mark)
            history.outcomesCount = try reader.countOutcomes()
            history.snapshots = try reader.snapshotPlaces()
            try compare(with: mark)
        } catch {
            guard error.isDamage else { throw error }
            damage = "\(error)"
        }
    }

    private mutating func followChain(
        _ reader: Reader,
        through last: UInt64,
        mark: Mark?
    ) throws(ReadFailure) {
        let base = history.meta.base.version
        if let mark, mark.end.version <= start.version, mark.end.version >= base {
            try reader.check(mark.end)
        }
        var rows = try RecordRows(reader, after: start.version, from: start.hash, through: last)
        defer { reader.records.reset() }
        while try rows.next() {
            if let mark, mark.end.version == rows.end.version, mark.end.hash != rows.end.hash {
                throw .damaged("record \(rows.end.version) is not the one that the mark tells of")
            }
            history.end = rows.end
            history.bytesTotal += rows.fields.bytesCount
        }
    }

    private func compare(with mark: Mark?) throws(ReadFailure) {
        guard let mark else { return }
        guard mark.epoch == history.meta.epoch else {
            throw .damaged("the mark beside the database is that of another history")
        }
        guard mark.end.version <= history.end.version else {
            throw .damaged(
                "the records end at version \(history.end.version), and version"
                    + " \(mark.end.version) was durable already"
            )
        }
    }
}

extension Reader {
    func readMeta() throws(ReadFailure) -> Meta {
        do throws(SQLiteFailure) {
            if let read = try Meta.read(meta) { return read }
        } catch {
            throw .sqlite(error)
        }
        throw .damaged("what the journal knows of itself is not what was written")
    }

    /// The newest record's version, once it is clear that the records reach from where they are to
    /// begin to the snapshot.
    func lastVersion(since base: Link, snapshot: Link) throws(ReadFailure) -> UInt64 {
        let (first, last): (Int64?, Int64?)
        do throws(SQLiteFailure) {
            first = try connection.integer("SELECT version FROM records ORDER BY version LIMIT 1")
            last = try connection.integer(
                "SELECT version FROM records ORDER BY version DESC LIMIT 1"
            )
        } catch {
            throw .sqlite(error)
        }
        guard let first, let last else {
            guard snapshot.version == base.version else {
                throw .damaged("the records before version \(snapshot.version) are missing")
            }
            return base.version
        }
        guard UInt64(bitPattern: first) == base.version + 1 else {
            throw .damaged("record \(base.version + 1) is missing: the records begin at \(first)")
        }
        if snapshot.version > base.version { try check(snapshot) }
        return UInt64(bitPattern: last)
    }

    /// Checks that the record at a place of the chain is the one that is expected there.
    func check(_ link: Link) throws(ReadFailure) {
        let rows = try RecordRows(self, after: link.version, through: link.version)
        records.reset()
        guard rows.end.hash == link.hash else {
            throw .damaged("record \(link.version) is not what was written")
        }
    }

    func snapshotPlaces() throws(ReadFailure) -> [SnapshotPlace] {
        var places: [SnapshotPlace] = []
        do throws(SQLiteFailure) {
            let rows = try Statement(
                connection,
                "SELECT version, time, bytes FROM snapshots ORDER BY version"
            )
            while try rows.step() {
                places.append(
                    SnapshotPlace(
                        version: UInt64(bitPattern: rows.integer(0)),
                        time: rows.integer(1),
                        bytesTotal: UInt64(bitPattern: rows.integer(2))
                    )
                )
            }
        } catch {
            throw .sqlite(error)
        }
        return places
    }

    /// Checks what is kept of idempotency keys, and counts it.
    ///
    /// Rows lie in the table and in the index by time: what a damaged page hides in one of them is
    /// missed by the other's count.
    func countOutcomes() throws(ReadFailure) -> Int {
        var count = 0
        do throws(SQLiteFailure) {
            let rows = try Statement(
                connection,
                """
                SELECT key, principal, fingerprint, first, last, changed, time, sum
                FROM outcomes ORDER BY key, principal
                """
            )
            while try rows.step() {
                form.clear()
                form.append(UInt64(bitPattern: rows.integer(3)))
                form.append(UInt64(bitPattern: rows.integer(4)))
                form.append(rows.integer(6))
                form.append(UInt8(rows.integer(5) != 0 ? 1 : 0))
                form.append(UInt32(truncatingIfNeeded: rows.bytes(0).count))
                form.append(UInt32(truncatingIfNeeded: rows.bytes(1).count))
                form.append(rows.bytes(0))
                form.append(rows.bytes(1))
                form.append(rows.bytes(2))
                guard form.sum == rows.integer(7) else { break }
                count += 1
            }
            let indexed = try connection.integer(
                "SELECT count(*) FROM outcomes INDEXED BY outcomes_by_time"
            )
            if indexed == Int64(count) { return count }
        } catch {
            throw .sqlite(error)
        }
        throw .damaged("what is kept of idempotency keys is not what was written")
    }
}

extension RecordFields {
    /// What its payload and meta take, in bytes.
    var bytesCount: UInt64 { UInt64(payload.count + (meta?.count ?? 0)) }
}
