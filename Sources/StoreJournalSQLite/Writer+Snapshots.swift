import StoreCore

extension Writer {
    /// Stores a snapshot in a transaction of its own.
    ///
    /// - Returns: false if the newest stored snapshot is not older; then nothing is written.
    func insert(
        _ snapshot: StateSnapshot,
        at position: ChainPosition,
        compressed state: [UInt8]
    ) throws(JournalError) -> Bool {
        if let newest = snapshots.last, newest.version >= snapshot.version { return false }
        let entry = try transaction { (writer) throws(SQLiteFailure) in
            let later = try Statement(
                writer.connection,
                "SELECT sum(length(payload) + ifnull(length(meta), 0)) FROM records WHERE version > ?"
            )
            try later.bind(1, Int64(clamping: snapshot.version))
            _ = try later.step()
            let stored = StoredSnapshot(
                position: position,
                time: snapshot.time,
                form: snapshot.form,
                size: snapshot.state.count,
                bytesTotal: writer.bytesTotal - UInt64(bitPattern: later.integer(0)),
                state: state
            )
            try stored.insert(into: writer.connection)
            return SnapshotEntry(
                version: position.version,
                time: stored.time,
                bytesTotal: stored.bytesTotal
            )
        }
        snapshots.append(entry)
        return true
    }

    /// Deletes the surplus snapshots, and the snapshots from before the oldest record.
    func thinSnapshots(max: Int) throws(JournalError) {
        let base = meta.base.version
        let leading = snapshots.map(\.version).filter { $0 >= base }
        let surplus = Set(
            snapshots.map(\.version).filter { $0 < base }
                + SnapshotLadder.surplus(leading, max: max)
        )
        guard !surplus.isEmpty else { return }
        try transaction { (writer) throws(SQLiteFailure) in
            let delete = try Statement(
                writer.connection,
                "DELETE FROM snapshots WHERE version = ?"
            )
            for version in surplus {
                try delete.bind(1, Int64(clamping: version))
                try delete.run()
            }
        }
        snapshots.removeAll { surplus.contains($0.version) }
    }
}

/// A row of the table `snapshots`, without the state.
struct SnapshotEntry: Equatable, Sendable {
    var version: UInt64
    var time: Int64
    /// The bytes of payload and meta of all records up to the snapshot.
    var bytesTotal: UInt64
}

extension StoredSnapshot {
    /// Writes the row within the open transaction.
    func insert(into connection: Connection) throws(SQLiteFailure) {
        let statement = try Statement(
            connection,
            """
            REPLACE INTO snapshots (version, time, form, size, bytes, hash, state_hash, state)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        try statement.bind(1, Int64(bitPattern: position.version))
        try statement.bind(2, time)
        try statement.bind(4, Int64(size))
        try statement.bind(5, Int64(bitPattern: bytesTotal))
        var bytes = CanonicalBytes(capacity: state.count + 256)
        let name = bytes.append(form)
        let chain = position.hash.withBytes { bytes.append($0) }
        let sum = hash.withBytes { bytes.append($0) }
        let packed = bytes.append(state)
        try statement.bind(3, text: bytes.bytes(name))
        try statement.bind(6, blob: bytes.bytes(chain))
        try statement.bind(7, blob: bytes.bytes(sum))
        try statement.bind(8, blob: bytes.bytes(packed))
        try statement.run()
    }
}
