import Dispatch

/// Follows the chain from where an examination begins to its end.
struct ChainWalk: ~Copyable {
    private var rows: RecordRows
    /// The version that the mark file names.
    private let markedVersion: UInt64?
    /// The hash there, where the walk has come by.
    private(set) var marked: ChainHash?
    /// What the payloads and the meta of all records took so far, in bytes.
    private(set) var bytesTotal: UInt64
    /// The last record that is what was written.
    private(set) var end: ChainPosition

    init(
        _ reader: Reader,
        from start: ChainPosition,
        bytesTotal: UInt64,
        mark: HighWaterMark?
    ) throws(ReadFailure) {
        rows = try RecordRows(reader, after: start.version, from: start.hash)
        end = start
        markedVersion = mark?.end.version
        self.bytesTotal = bytesTotal
    }

    /// Fills a page with the next records; leaves it empty at the end.
    mutating func fill(_ page: inout RecordPage) throws(ReadFailure) {
        var (end, bytesTotal, marked) = (end, bytesTotal, marked)
        defer { (self.end, self.bytesTotal, self.marked) = (end, bytesTotal, marked) }
        try page.fill(&rows) { [markedVersion] rows in
            end = rows.end
            bytesTotal += rows.fields.bytesCount
            if end.version == markedVersion { marked = end.hash }
        }
    }

    /// Walks to the end, and answers where the walk has come to.
    ///
    /// - Returns: the walk, and what is wrong with the record that it could not go to.
    static func run(_ walk: consuming ChainWalk, _ follower: (any HistoryFollower)?) -> WalkEnd {
        let pages = WalkedPages(walk)
        var page = RecordPage()
        var follower = follower
        pages.fillNext()
        while pages.take(&page) {
            guard let follows = follower else {
                pages.fillNext()
                continue
            }
            // Short histories are read here: another thread would cost more than it spares.
            if page.isFull { pages.beginFillingNext() } else { pages.fillNext() }
            if !follows.follow(page) { follower = nil }
            pages.wait()
        }
        return pages.end
    }
}

/// Where a walk has ended.
struct WalkEnd {
    var end: ChainPosition
    var bytesTotal: UInt64
    var marked: ChainHash?
    var failure: ReadFailure?
}

/// The page that is being filled, perhaps by another thread, while the one before it is followed.
private final class WalkedPages: @unchecked Sendable {
    // Safety: what is here belongs to the thread that fills the page, from `beginFillingNext` to
    // the signal; else to the one that runs the walk.
    private var walk: ChainWalk
    private var next = RecordPage()
    private var failure: ReadFailure?
    private var isFilling = false
    private let filled = DispatchSemaphore(value: 0)

    init(_ walk: consuming ChainWalk) {
        self.walk = walk
    }

    func beginFillingNext() {
        isFilling = true
        DispatchQueue.global().async { [self] in
            fillNext()
            filled.signal()
        }
    }

    func wait() {
        guard isFilling else { return }
        filled.wait()
        isFilling = false
    }

    func fillNext() {
        do throws(ReadFailure) { try walk.fill(&next) } catch { failure = error }
    }

    /// Takes what was filled; false where that is nothing, or not what was written.
    func take(_ page: inout RecordPage) -> Bool {
        guard failure == nil, next.count > 0 else { return false }
        swap(&page, &next)
        return true
    }

    var end: WalkEnd {
        WalkEnd(
            end: walk.end,
            bytesTotal: walk.bytesTotal,
            marked: walk.marked,
            failure: failure
        )
    }
}
