/// What a journal's writer has to know to go on.
struct History: Equatable {
    var meta: Meta
    var end: Link
    /// What the payloads and the meta of all records took, from the beginning of history on.
    var bytesTotal: UInt64
    var outcomesCount: Int
    /// When the newest key that is kept was used; 0 where there is none.
    var newestKeyTime: Int64
    /// The snapshots that are kept, in ascending order.
    var snapshots: [SnapshotPlace]

    /// A history that begins.
    init(_ meta: Meta) {
        self.meta = meta
        end = meta.base
        bytesTotal = 0
        outcomesCount = 0
        newestKeyTime = 0
        snapshots = []
    }
}
