import StorePlatform

/// What the readers of the log need, and what is there for them.
struct LogWork: WorkQueue {
    /// The most versions that wait to be read; a reader that asks for more asks again.
    static let requestedMax = 1_024

    var cache = LogCache()
    /// The pieces as sessions may read them.
    var seen = SeenPieces()
    /// The oldest version that there is, as far as is known.
    var oldest: UInt64 = 1
    /// Versions that readers need next, in the order in which they asked.
    private var requested: [UInt64] = []
    private var isRequested: Set<UInt64> = []
    /// Versions that could not be read, for the reader that asks next.
    private var unreadable: Set<UInt64> = []
    /// Whether the last attempt to read failed.
    private var isFailing = false

    var isEmpty: Bool { requested.isEmpty }

    /// Notes a version to be read.
    mutating func request(_ version: UInt64) {
        guard requested.count < Self.requestedMax, isRequested.insert(version).inserted else {
            return
        }
        requested.append(version)
    }

    /// The version to be read next.
    mutating func take() -> UInt64 {
        let version = requested.removeFirst()
        isRequested.remove(version)
        return version
    }

    /// Reads nothing more of what readers have asked for.
    mutating func dropRequested() {
        requested = []
        isRequested = []
    }

    /// Notes that a version could be read.
    mutating func succeeded() {
        isFailing = false
    }

    /// Notes that a version could not be read. Returns whether that is news.
    mutating func failed(_ version: UInt64) -> Bool {
        // The readers that asked for the others may be gone; those that are not ask again.
        if unreadable.count >= Self.requestedMax { unreadable = [] }
        unreadable.insert(version)
        defer { isFailing = true }
        return !isFailing
    }

    /// Whether a version could not be read, said once.
    mutating func takeFailure(of version: UInt64) -> Bool {
        unreadable.remove(version) != nil
    }
}
