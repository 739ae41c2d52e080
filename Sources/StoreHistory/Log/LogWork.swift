import StorePlatform

/// The queue of the log's thread: the versions that readers need, and the pieces for them.
struct LogWork: WorkQueue {
    /// The most versions that wait to be read. A reader whose version has no room asks again.
    static let requestedMax = 1_024

    var cache = LogCache()
    /// The pieces as sessions and roles may read them.
    var seen = SeenPieces()
    /// The oldest version in the journal, as far as the log has noticed.
    var oldest: UInt64 = 1
    /// The versions that readers need next, in the order of the requests.
    private var requested: [UInt64] = []
    private var isRequested: Set<UInt64> = []
    /// The versions that could not be read. A version is removed when the next reader asks for it.
    private var unreadable: Set<UInt64> = []
    /// True if the last attempt to read failed.
    private var isFailing = false

    var isEmpty: Bool { requested.isEmpty }

    /// Adds a version to the queue.
    mutating func request(_ version: UInt64) {
        guard requested.count < Self.requestedMax, isRequested.insert(version).inserted else {
            return
        }
        requested.append(version)
    }

    /// Takes the version that is read next.
    mutating func take() -> UInt64 {
        let version = requested.removeFirst()
        isRequested.remove(version)
        return version
    }

    /// Drops all requests of readers.
    mutating func dropRequested() {
        requested = []
        isRequested = []
    }

    /// Records that a version was read.
    mutating func succeeded() {
        isFailing = false
    }

    /// Records that a version could not be read. Returns true if the attempt before succeeded, so
    /// that a failure is logged once.
    mutating func failed(_ version: UInt64) -> Bool {
        // Other readers may be gone; those that remain ask again.
        if unreadable.count >= Self.requestedMax { unreadable = [] }
        unreadable.insert(version)
        defer { isFailing = true }
        return !isFailing
    }

    /// Returns true once if a version could not be read.
    mutating func takeFailure(of version: UInt64) -> Bool {
        unreadable.remove(version) != nil
    }
}
