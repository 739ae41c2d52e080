package import StorePlatform

/// What a journal on disk measures of itself.
package struct JournalFigures: Sendable {
    /// How many bytes each of its files has, by what the file is for.
    package let files: [(file: String, bytes: UInt64)]
    /// How long the syncs of its batches took.
    package let syncs: Distribution

    package init(files: [(file: String, bytes: UInt64)], syncs: Distribution) {
        self.files = files
        self.syncs = syncs
    }
}

/// A journal that measures itself. Any thread asks for the figures; it waits for no append.
package protocol MeasuredJournal: Journal {
    var figures: JournalFigures { get }
}
