public import StoreCore

extension SQLiteJournal {
    /// Stores the state of a durable version, and deletes records and snapshots beyond the bounds.
    ///
    /// Any thread may call this function. The state is compressed without a lock, and small
    /// transactions delete the old rows, so that appends run between them.
    ///
    /// - Throws: ``JournalError/conflict(version:)`` for a version that does not exist yet,
    ///   ``JournalError/gone(oldest:)`` for a deleted one, and otherwise the errors of an append.
    public func save(_ snapshot: StateSnapshot) throws(JournalError) {
        guard snapshot.version <= version else { throw .conflict(version: version) }
        let position = try withReader { (reader) throws(ReadFailure) in
            try reader.position(at: snapshot.version)
        }
        guard let state = Compression.compress(snapshot.state) else {
            throw .unknown("nothing was written: the state can't be compressed")
        }
        guard state.count <= SQLiteJournal.fieldBytesMax else {
            throw .unknown(
                "nothing was written: a compressed state of \(state.count) bytes is over the bound of"
                    + " \(SQLiteJournal.fieldBytesMax)"
            )
        }
        let isNew = try write { (writer, _) throws(JournalError) in
            try writer.insert(snapshot, at: position, compressed: state)
        }
        if isNew { try forget() }
    }

    /// Returns the newest intact snapshot of `version` or before.
    ///
    /// - Throws: ``JournalError/corrupt(_:)`` if no snapshot is intact and the records before them
    ///   were deleted, or if the newest intact one can't be decompressed.
    public func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot? {
        try withReader { (reader) throws(ReadFailure) in
            guard
                let stored = try reader.newestSnapshot(
                    atOrBefore: version,
                    passingOver: { [log] in
                        log("the snapshot of version \($0) is damaged; an older one is looked for")
                    }
                )
            else { return nil }
            guard let state = Compression.decompress(stored.state, size: stored.size) else {
                throw .damaged("the snapshot of version \(stored.position.version) can't be read")
            }
            return StateSnapshot(
                version: stored.position.version,
                time: stored.time,
                state: state,
                form: stored.form
            )
        }
    }
}

extension Reader {
    /// Returns the newest intact snapshot. Calls `passingOver` with the version of each newer,
    /// damaged one.
    ///
    /// - Throws: ``ReadFailure/damaged(_:)`` if all snapshots are damaged, and the records do not
    ///   reach back to version 0 either.
    func newestSnapshot(
        atOrBefore version: UInt64 = .max,
        passingOver: (UInt64) -> Void
    ) throws(ReadFailure) -> StoredSnapshot? {
        try transaction { (reader) throws(ReadFailure) in
            defer { reader.snapshots.reset() }
            let base = try reader.readMeta().base
            var damaged: UInt64?
            do throws(SQLiteFailure) {
                try reader.snapshots.bind(1, Int64(clamping: version))
                while try reader.snapshots.step() {
                    let found = UInt64(bitPattern: reader.snapshots.integer(0))
                    guard found >= base.version else { break }
                    if let snapshot = reader.storedSnapshot() { return snapshot }
                    damaged = found
                    passingOver(found)
                }
            } catch {
                throw .sqlite(error)
            }
            if let damaged, base.version > 0 {
                throw .damaged(
                    "the snapshot of version \(damaged) has changed since it was written"
                )
            }
            return nil
        }
    }

    /// Returns the snapshot of one version, within the open transaction; `nil` if it is missing or
    /// damaged.
    func storedSnapshot(of version: UInt64) throws(ReadFailure) -> StoredSnapshot? {
        defer { snapshots.reset() }
        do throws(SQLiteFailure) {
            try snapshots.bind(1, Int64(clamping: version))
            guard try snapshots.step(), snapshots.integer(0) == Int64(clamping: version) else {
                return nil
            }
        } catch {
            throw .sqlite(error)
        }
        return storedSnapshot()
    }

    /// Returns the snapshot in the current row; `nil` if it does not match its hash.
    private func storedSnapshot() -> StoredSnapshot? {
        guard let hash = ChainHash(snapshots.bytes(5)) else { return nil }
        let snapshot = StoredSnapshot(
            position: ChainPosition(version: UInt64(bitPattern: snapshots.integer(0)), hash: hash),
            time: snapshots.integer(1),
            form: snapshots.string(2),
            size: Int(clamping: snapshots.integer(3)),
            bytesTotal: UInt64(bitPattern: snapshots.integer(4)),
            state: [UInt8](snapshots.bytes(7))
        )
        guard snapshot.size >= 0 else { return nil }
        return snapshot.hash.matches(snapshots.bytes(6)) ? snapshot : nil
    }

    /// Returns the position of a version in the chain.
    func position(at version: UInt64) throws(ReadFailure) -> ChainPosition {
        try transaction { (reader) throws(ReadFailure) in
            try RecordRows(reader, after: version, through: version).end
        }
    }
}
