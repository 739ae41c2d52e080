import StoreCore

extension Writer {
    /// Keeps a snapshot in a transaction of its own.
    ///
    /// - Returns: false where it is not newer than the newest that is kept; then nothing is written.
    func insert(
        _ snapshot: StateSnapshot,
        at link: Link,
        compressed state: [UInt8]
    ) throws(JournalError) -> Bool {
        try transaction { (writer) throws(SQLiteFailure) in
            let newest = try writer.connection.integer("SELECT max(version) FROM snapshots") ?? 0
            let isFirst =
                try writer.connection.integer("SELECT count(*) FROM snapshots") == 0
            guard isFirst || Int64(clamping: snapshot.version) > newest else { return false }
            let later = try Statement(
                writer.connection,
                "SELECT sum(length(payload) + ifnull(length(meta), 0)) FROM records WHERE version > ?"
            )
            try later.bind(1, Int64(clamping: snapshot.version))
            _ = try later.step()
            let stored = StoredSnapshot(
                link: link,
                time: snapshot.time,
                form: snapshot.form,
                size: snapshot.state.count,
                bytesTotal: writer.bytesTotal - UInt64(bitPattern: later.integer(0)),
                state: state
            )
            try stored.insert(into: writer.connection)
            return true
        }
    }

    /// Gives up the snapshots that are too many, and those that no record follows any more.
    ///
    /// - Returns: those that are left, in ascending order.
    func thinSnapshots(max: Int) throws(JournalError) -> [SnapshotPlace] {
        try transaction { (writer) throws(SQLiteFailure) in
            var places = try writer.snapshotPlaces()
            let base = writer.meta.base.version
            let superfluous = Set(
                places.map(\.version).filter { $0 < base }
                    + SnapshotLadder.superfluous(
                        places.map(\.version).filter { $0 >= base },
                        max: max
                    )
            )
            let delete = try Statement(
                writer.connection,
                "DELETE FROM snapshots WHERE version = ?"
            )
            for version in superfluous {
                try delete.bind(1, Int64(clamping: version))
                try delete.run()
            }
            places.removeAll { superfluous.contains($0.version) }
            return places
        }
    }

    private func snapshotPlaces() throws(SQLiteFailure) -> [SnapshotPlace] {
        let rows = try Statement(
            connection,
            "SELECT version, time, bytes FROM snapshots ORDER BY version"
        )
        var places: [SnapshotPlace] = []
        while try rows.step() {
            places.append(
                SnapshotPlace(
                    version: UInt64(bitPattern: rows.integer(0)),
                    time: rows.integer(1),
                    bytesTotal: UInt64(bitPattern: rows.integer(2))
                )
            )
        }
        return places
    }
}

/// A snapshot that is kept, as far as forgetting needs to know it.
struct SnapshotPlace: Equatable, Sendable {
    var version: UInt64
    var time: Int64
    /// What the payloads and the meta of all records up to it took, in bytes.
    var bytesTotal: UInt64
}

extension StoredSnapshot {
    /// Writes the row within the transaction that is open.
    func insert(into connection: Connection) throws(SQLiteFailure) {
        let statement = try Statement(
            connection,
            """
            REPLACE INTO snapshots (version, time, form, size, bytes, hash, state_hash, state)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        try statement.bind(1, Int64(bitPattern: link.version))
        try statement.bind(2, time)
        try statement.bind(4, Int64(size))
        try statement.bind(5, Int64(bitPattern: bytesTotal))
        var bytes = ByteForm(capacity: state.count + 256)
        let name = bytes.append(form)
        let chain = link.hash.withBytes { bytes.append($0) }
        let sum = hash.withBytes { bytes.append($0) }
        let packed = bytes.append(state)
        try statement.bind(3, text: bytes.bytes(name))
        try statement.bind(6, blob: bytes.bytes(chain))
        try statement.bind(7, blob: bytes.bytes(sum))
        try statement.bind(8, blob: bytes.bytes(packed))
        try statement.run()
    }
}
