import Dispatch

/// A pass over the chain, from the position at which a check begins to the last record.
struct ChainWalk: ~Copyable {
    private var rows: RecordRows
    private let markedVersion: UInt64?
    /// The hash at ``markedVersion``; `nil` if the walk has not passed that version.
    private(set) var markedHash: ChainHash?
    /// The total bytes of payload and meta, from the first record of history to
    /// ``reachedPosition``.
    private(set) var recordBytesTotal: UInt64
    /// The position of the last intact record so far.
    private(set) var reachedPosition: ChainPosition

    init(
        _ reader: Reader,
        from start: ChainPosition,
        recordBytesTotal: UInt64,
        mark: HighWaterMark?
    ) throws(DatabaseFailure) {
        rows = try RecordRows(reader, after: start.version, from: start.hash)
        reachedPosition = start
        markedVersion = mark?.end.version
        self.recordBytesTotal = recordBytesTotal
    }

    /// Fills a page with the next records; leaves the page empty after the last record.
    mutating func fill(_ page: inout RecordPage) throws(DatabaseFailure) {
        var (end, bytesTotal, marked) = (reachedPosition, recordBytesTotal, markedHash)
        defer {
            (self.reachedPosition, self.recordBytesTotal, self.markedHash) = (
                end, bytesTotal, marked
            )
        }
        try page.fill(&rows) { [markedVersion] rows in
            end = rows.currentPosition
            bytesTotal += rows.fields.payloadAndMetaBytes
            if end.version == markedVersion { marked = end.hash }
        }
    }

    /// Walks to the end of the records, or to the first damaged record. Passes each page to the
    /// follower.
    static func run(_ walk: consuming ChainWalk, _ follower: (any HistoryFollower)?) -> WalkedPages
    {
        let pages = WalkedPages(walk)
        var page = RecordPage()
        var follower = follower
        pages.fillNext()
        while pages.take(&page) {
            guard let follows = follower else {
                pages.fillNext()
                continue
            }
            // A short history is read on this thread, because another thread would cost more than
            // it saves.
            if page.isFull { pages.beginFillingNext() } else { pages.fillNext() }
            if !follows.follow(page) { follower = nil }
            pages.waitUntilFilled()
        }
        return pages
    }
}

/// The pages of a walk. Another thread may fill the next page while the follower processes the page
/// before.
final class WalkedPages: @unchecked Sendable {
    // Safety: from `beginFillingNext` to the signal, only the thread that fills the page uses the
    // variables. At all other times, only the thread of the walk uses them.
    private(set) var walk: ChainWalk
    /// The error of the record that stopped the walk.
    private(set) var failure: DatabaseFailure?
    private var nextPage = RecordPage()
    private var isFilling = false
    private let filled = DispatchSemaphore(value: 0)

    fileprivate init(_ walk: consuming ChainWalk) { self.walk = walk }

    fileprivate func beginFillingNext() {
        isFilling = true
        DispatchQueue.global().async { [self] in
            fillNext()
            filled.signal()
        }
    }

    fileprivate func waitUntilFilled() {
        guard isFilling else { return }
        filled.wait()
        isFilling = false
    }

    fileprivate func fillNext() {
        do throws(DatabaseFailure) { try walk.fill(&nextPage) } catch { failure = error }
    }

    /// Swaps the filled page into `page`. Returns false if the filled page is empty, or if a record
    /// is damaged.
    fileprivate func take(_ page: inout RecordPage) -> Bool {
        guard failure == nil, nextPage.count > 0 else { return false }
        swap(&page, &nextPage)
        return true
    }
}
