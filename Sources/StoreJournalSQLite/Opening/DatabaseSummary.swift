/// The facts about a database's contents that the ``Writer`` needs for appends. The writer keeps
/// these facts up to date.
struct DatabaseSummary: Equatable {
    var meta: MetaRow
    var format = Schema.newestFormat
    var end: ChainPosition
    /// The bytes of payload and meta of all records since the beginning of history.
    var recordBytesTotal: UInt64 = 0
    var outcomesCount = 0
    /// The time at which an idempotency key was last used; 0 if no key was used.
    var newestKeyTime: Int64 = 0
    /// The stored snapshots, in ascending order.
    var snapshots: [SnapshotEntry] = []

    /// Makes the contents of a new database.
    init(_ meta: MetaRow) {
        self.meta = meta
        end = meta.base
    }
}

/// The only row of the table `meta`: the epoch and the position before the first record, with a
/// checksum.
struct MetaRow: Equatable, Sendable {
    /// The name of the unbroken history.
    var epoch: UInt32
    /// The epoch under which the chain began. A new epoch of the history does not change this
    /// value.
    var firstEpoch: UInt32
    /// The position before the oldest record.
    var base: ChainPosition

    init(epoch: UInt32) {
        self.epoch = epoch
        firstEpoch = epoch
        base = ChainPosition(version: 0, hash: ChainHash(genesisOf: epoch))
    }

    /// Reads the row; returns `nil` if the row is missing or does not match its checksum.
    static func read(_ statement: Statement) throws(DatabaseFailure) -> MetaRow? {
        defer { statement.reset() }
        guard try statement.step(), let baseHash = ChainHash(statement.bytes(3)) else { return nil }
        var meta = MetaRow(epoch: UInt32(truncatingIfNeeded: statement.integer(0)))
        meta.firstEpoch = UInt32(truncatingIfNeeded: statement.integer(1))
        meta.base = ChainPosition(version: UInt64(bitPattern: statement.integer(2)), hash: baseHash)
        return meta.checksum.matches(statement.bytes(4)) ? meta : nil
    }

    func write(to connection: Connection) throws(DatabaseFailure) {
        let statement = try Statement(
            connection,
            "REPLACE INTO meta (id, epoch, origin, base, base_hash, sum) VALUES (0, ?, ?, ?, ?, ?)"
        )
        try statement.bind(1, Int64(epoch))
        try statement.bind(2, Int64(firstEpoch))
        try statement.bind(3, Int64(bitPattern: base.version))
        let sum = checksum
        try base.hash.withBytes { (hash) throws(DatabaseFailure) in
            try sum.withBytes { (sum) throws(DatabaseFailure) in
                try statement.bind(4, blob: hash)
                try statement.bind(5, blob: sum)
                try statement.run()
            }
        }
    }

    private var checksum: ChainHash {
        var form = CanonicalBytes(capacity: 64)
        form.append(epoch)
        form.append(firstEpoch)
        form.append(base.version)
        base.hash.withBytes { _ = form.append($0) }
        return form.hash
    }
}
