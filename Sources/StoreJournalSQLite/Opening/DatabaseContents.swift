/// What a database contains, as the ``Writer`` needs it to append.
struct DatabaseContents: Equatable {
    var meta: MetaRow
    /// The form of the file.
    var format = Schema.format
    var end: ChainPosition
    /// What the payloads and the meta of all records took, from the beginning of history on.
    var bytesTotal: UInt64
    var outcomesCount: Int
    /// When the newest key that is kept was used; 0 where there is none.
    var newestKeyTime: Int64
    /// The snapshots that are kept, in ascending order.
    var snapshots: [SnapshotEntry]

    /// Those of a new database.
    init(_ meta: MetaRow) {
        self.meta = meta
        end = meta.base
        bytesTotal = 0
        outcomesCount = 0
        newestKeyTime = 0
        snapshots = []
    }
}
