/// The contents of a database that the ``Writer`` needs for appends.
struct DatabaseContents: Equatable {
    var meta: MetaRow
    /// The form of the file.
    var format = Schema.format
    var end: ChainPosition
    /// The bytes of payload and meta of all records since the beginning of history.
    var bytesTotal: UInt64
    var outcomesCount: Int
    /// The last time at which a stored key was used; 0 if there are no keys.
    var newestKeyTime: Int64
    /// The stored snapshots, in ascending order.
    var snapshots: [SnapshotEntry]

    /// Makes the contents of a new database.
    init(_ meta: MetaRow) {
        self.meta = meta
        end = meta.base
        bytesTotal = 0
        outcomesCount = 0
        newestKeyTime = 0
        snapshots = []
    }
}
