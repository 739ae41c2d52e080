import CStoreZstd
public import StoreCore
import StorePlatform
import Synchronization

extension SQLiteJournal {
    /// Stores the state of a durable version, and deletes records and snapshots beyond the bounds.
    ///
    /// Any thread may call this function. The state is compressed without a lock. Small
    /// transactions delete the old rows, so that appends can run between these transactions.
    ///
    /// - Throws: ``JournalError/conflict(version:)`` for a version that does not exist yet,
    ///   ``JournalError/gone(oldest:)`` for a deleted version, and the errors of an append.
    public func save(_ snapshot: StateSnapshot) throws(JournalError) {
        let isNew = try saveLock.withLock { _ throws(JournalError) in try store(snapshot) }
        if isNew { try applyRetention() }
    }

    /// Stores a snapshot, sealed under the key if there is a sealer. Returns false, without
    /// writing, if there is a newer snapshot, or a snapshot of the same version that may not be
    /// replaced.
    func store(
        _ snapshot: StateSnapshot,
        under key: (UInt32, SealKey)? = nil,
        replaces: Bool = false
    ) throws(JournalError) -> Bool {
        guard snapshot.version <= version else { throw .conflict(version: version) }
        let position = try withReader { (reader) throws(DatabaseFailure) in
            try reader.position(at: snapshot.version)
        }
        guard let compressed = Compression.compress(snapshot.state) else {
            throw .unknown("nothing was written: the state can't be compressed")
        }
        let state = try sealer?.seal(state: compressed, key) ?? compressed
        guard state.count <= SQLiteJournal.fieldBytesMax else {
            throw .unknown(
                "nothing was written: a compressed state of \(state.count) bytes is over the bound of"
                    + " \(SQLiteJournal.fieldBytesMax)"
            )
        }
        return try withWriter { (writer, _) throws(JournalError) in
            try writer.insert(snapshot, at: position, compressed: state, replaces: replaces)
        }
    }

    /// Returns the newest intact snapshot whose version is `version` or lower. Returns `nil` if the
    /// snapshot is sealed and its key is destroyed, or if the journal has no keys.
    ///
    /// - Throws: ``JournalError/corrupt(_:)`` if no snapshot is intact and the first records were
    ///   deleted, or if the newest intact snapshot can't be decompressed.
    public func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot? {
        let forgotten = oldestRestorableVersion
        guard version >= forgotten else { return nil }
        return try withReader { (reader) throws(DatabaseFailure) in
            guard
                var stored = try reader.newestSnapshot(
                    atOrBefore: version,
                    passingOver: { [log] in
                        log("the snapshot of version \($0) is damaged; trying an older snapshot")
                    }
                )
            else { return nil }
            // The row of a forgotten snapshot has no key.
            guard stored.position.version >= forgotten else { return nil }
            if stored.isSealed {
                guard let sealer else { return nil }
                guard let state = sealer.open(state: stored.compressedState) else {
                    throw .damaged(
                        "the snapshot of version \(stored.position.version) can't be opened"
                    )
                }
                stored.compressedState = state
            }
            guard let snapshot = stored.unpacked else {
                throw .damaged("the snapshot of version \(stored.position.version) can't be read")
            }
            return snapshot
        }
    }
}

extension Reader {
    /// Returns the newest intact snapshot whose version is `version` or lower. Calls `passingOver`
    /// with the version of each damaged snapshot that is newer.
    ///
    /// - Throws: ``DatabaseFailure/damaged(_:)`` if all snapshots are damaged and the first records
    ///   were deleted.
    func newestSnapshot(
        atOrBefore version: UInt64 = .max,
        passingOver: (UInt64) -> Void
    ) throws(DatabaseFailure) -> StoredSnapshot? {
        try withTransaction { (reader) throws(DatabaseFailure) in
            defer { reader.selectSnapshots.reset() }
            let base = try reader.readMeta().base
            var damaged: UInt64?
            try reader.selectSnapshots.bind(1, Int64(clamping: version))
            while try reader.selectSnapshots.step() {
                let found = UInt64(bitPattern: reader.selectSnapshots.integer(0))
                guard found >= base.version else { break }
                if let snapshot = reader.storedSnapshotInRow() { return snapshot }
                damaged = found
                passingOver(found)
            }
            if let damaged, base.version > 0 {
                throw .damaged(
                    "the snapshot of version \(damaged) has changed since it was written"
                )
            }
            return nil
        }
    }

    /// Returns the snapshot of one version; `nil` if the snapshot is missing or damaged. A
    /// transaction has to be open.
    func storedSnapshot(of version: UInt64) throws(DatabaseFailure) -> StoredSnapshot? {
        defer { selectSnapshots.reset() }
        try selectSnapshots.bind(1, Int64(clamping: version))
        guard try selectSnapshots.step(), selectSnapshots.integer(0) == Int64(clamping: version)
        else {
            return nil
        }
        return storedSnapshotInRow()
    }

    /// Returns the snapshot in the current row; `nil` if the snapshot does not match its hash.
    private func storedSnapshotInRow() -> StoredSnapshot? {
        guard let hash = ChainHash(selectSnapshots.bytes(5)) else { return nil }
        let snapshot = StoredSnapshot(
            position: ChainPosition(
                version: UInt64(bitPattern: selectSnapshots.integer(0)),
                hash: hash
            ),
            time: selectSnapshots.integer(1),
            formID: selectSnapshots.string(2),
            uncompressedSize: Int(clamping: selectSnapshots.integer(3)),
            recordBytesTotal: UInt64(bitPattern: selectSnapshots.integer(4)),
            compressedState: [UInt8](selectSnapshots.bytes(7))
        )
        guard snapshot.uncompressedSize >= 0 else { return nil }
        return snapshot.checksum.matches(selectSnapshots.bytes(6)) ? snapshot : nil
    }

    func position(at version: UInt64) throws(DatabaseFailure) -> ChainPosition {
        try withTransaction { (reader) throws(DatabaseFailure) in
            try RecordRows(reader, after: version, throughVersion: version).currentPosition
        }
    }
}

/// A snapshot as it is stored in the database.
struct StoredSnapshot {
    /// The version of the snapshot, and the chain's hash at that version.
    var position: ChainPosition
    var time: Int64
    var formID: String
    /// The size of the state before compression, in bytes.
    var uncompressedSize: Int
    /// The bytes of payload and meta of all records up to the snapshot.
    var recordBytesTotal: UInt64
    /// The state, compressed with zstd.
    var compressedState: [UInt8]

    /// True if the state was sealed after its compression. Then only its hash can be checked
    /// without a key.
    var isSealed: Bool { compressedState.first == SealedPayload.leadingByte }

    /// The snapshot with its state decompressed; `nil` if the state can't be decompressed.
    var unpacked: StateSnapshot? {
        Compression.decompress(compressedState, size: uncompressedSize).map {
            StateSnapshot(version: position.version, time: time, state: $0, form: formID)
        }
    }

    var checksum: ChainHash {
        var bytes = CanonicalBytes(capacity: compressedState.count + 256)
        bytes.append(position.version)
        position.hash.withBytes { _ = bytes.append($0) }
        bytes.append(time)
        bytes.append(UInt64(uncompressedSize))
        bytes.append(recordBytesTotal)
        bytes.append(UInt32(truncatingIfNeeded: formID.utf8.count))
        bytes.append(formID)
        bytes.append(compressedState)
        return bytes.hash
    }
}

extension Writer {
    /// Stores a snapshot in a transaction of its own. Returns false, without writing, if a stored
    /// snapshot has this version or a newer version.
    func insert(
        _ snapshot: StateSnapshot,
        at position: ChainPosition,
        compressed state: [UInt8],
        replaces: Bool
    ) throws(JournalError) -> Bool {
        if let newest = contents.snapshots.last, newest.version >= snapshot.version {
            guard replaces, newest.version == snapshot.version else { return false }
        }
        let entry = try withTransaction { (writer) throws(DatabaseFailure) in
            let later = try Statement(
                writer.connection,
                "SELECT sum(length(payload) + ifnull(length(meta), 0)) FROM records WHERE version > ?"
            )
            try later.bind(1, Int64(clamping: snapshot.version))
            _ = try later.step()
            let stored = StoredSnapshot(
                position: position,
                time: snapshot.time,
                formID: snapshot.formID,
                uncompressedSize: snapshot.state.count,
                recordBytesTotal: writer.contents.recordBytesTotal
                    - UInt64(bitPattern: later.integer(0)),
                compressedState: state
            )
            try stored.insert(into: writer.connection)
            return SnapshotEntry(
                version: position.version,
                time: stored.time,
                recordBytesTotal: stored.recordBytesTotal
            )
        }
        contents.snapshots.removeAll { $0.version == entry.version }
        contents.snapshots.append(entry)
        return true
    }

    /// Deletes the surplus snapshots, and the snapshots that are older than the oldest record.
    func thinSnapshots(max: Int) throws(JournalError) {
        let base = contents.meta.base.version
        let versions = contents.snapshots.map(\.version)
        let leading = versions.filter { $0 >= base }
        let surplus = Set(versions.filter { $0 < base } + SnapshotLadder.surplus(leading, max: max))
        guard !surplus.isEmpty else { return }
        try withTransaction { (writer) throws(DatabaseFailure) in
            let delete = try Statement(writer.connection, "DELETE FROM snapshots WHERE version = ?")
            for version in surplus {
                try delete.bind(1, Int64(clamping: version))
                try delete.run()
            }
        }
        contents.snapshots.removeAll { surplus.contains($0.version) }
    }
}

/// A row of the table `snapshots`, without the state.
struct SnapshotEntry: Equatable, Sendable {
    var version: UInt64
    var time: Int64
    /// The bytes of payload and meta of all records up to the snapshot.
    var recordBytesTotal: UInt64
}

extension StoredSnapshot {
    func insert(into connection: Connection) throws(DatabaseFailure) {
        let statement = try Statement(
            connection,
            """
            REPLACE INTO snapshots (version, time, form, size, bytes, hash, state_hash, state)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        try statement.bind(1, Int64(bitPattern: position.version))
        try statement.bind(2, time)
        try statement.bind(4, Int64(uncompressedSize))
        try statement.bind(5, Int64(bitPattern: recordBytesTotal))
        var bytes = CanonicalBytes(capacity: compressedState.count + 256)
        let name = bytes.append(formID)
        let chain = position.hash.withBytes { bytes.append($0) }
        let sum = checksum.withBytes { bytes.append($0) }
        let packed = bytes.append(compressedState)
        try statement.bind(3, text: bytes.bytes(name))
        try statement.bind(6, blob: bytes.bytes(chain))
        try statement.bind(7, blob: bytes.bytes(sum))
        try statement.bind(8, blob: bytes.bytes(packed))
        try statement.run()
    }
}

/// Compression with zstd (RFC 8878) for snapshots of the state.
enum Compression {
    private static let level: CInt = 3

    /// Compresses bytes; returns `nil` if memory does not suffice.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        let bound = ZSTD_compressBound(bytes.count)
        guard ZSTD_isError(bound) == 0 else { return nil }
        var failed = false
        let compressed = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            count = bytes.withUnsafeBytes {
                ZSTD_compress(buffer.baseAddress, buffer.count, $0.baseAddress, $0.count, level)
            }
            if ZSTD_isError(count) != 0 { (failed, count) = (true, 0) }
        }
        return failed ? nil : compressed
    }

    /// Decompresses a result of ``compress(_:)`` whose original has `size` bytes. Returns `nil` for
    /// any other input.
    static func decompress(_ bytes: [UInt8], size: Int) -> [UInt8]? {
        let stated = bytes.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
        guard stated == UInt64(size) else { return nil }
        var failed = false
        let state = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = bytes.withUnsafeBytes {
                ZSTD_decompress(buffer.baseAddress, buffer.count, $0.baseAddress, $0.count)
            }
            if ZSTD_isError(count) != 0 { (failed, count) = (true, 0) }
        }
        return failed || state.count != size ? nil : state
    }
}
