package import StorePlatform

/// The measurements that a journal on disk takes of itself.
package struct JournalFigures: Sendable {
    /// The number of bytes of each file, under the purpose of the file.
    package let files: [(file: String, bytes: UInt64)]
    /// The time that the syncs of its batches took.
    package let syncs: Distribution

    package init(files: [(file: String, bytes: UInt64)], syncs: Distribution) {
        self.files = files
        self.syncs = syncs
    }
}

/// A journal that measures itself. Any thread may read the figures, without waiting for an append.
package protocol MeasuredJournal: Journal {
    var figures: JournalFigures { get }
}
