import Platform

/// What the readers of the log need, and what is there for them.
struct LogWork: WorkQueue {
    /// The most versions that wait to be read; a reader that asks for more asks again.
    static let wantedMax = 1_024

    var cache = LogCache()
    /// The oldest version that there is, as far as is known.
    var oldest: UInt64 = 1
    /// Versions that readers need next, in the order in which they asked.
    private var wanted: [UInt64] = []
    private var isWanted: Set<UInt64> = []
    /// Versions that could not be read, for the reader that asks next.
    private var unreadable: Set<UInt64> = []
    /// Whether the last attempt to read failed.
    private var isFailing = false

    var isEmpty: Bool { wanted.isEmpty }

    /// Notes a version to be read.
    mutating func want(_ version: UInt64) {
        guard wanted.count < Self.wantedMax, isWanted.insert(version).inserted else { return }
        wanted.append(version)
    }

    /// The version to be read next.
    mutating func take() -> UInt64 {
        let version = wanted.removeFirst()
        isWanted.remove(version)
        return version
    }

    /// Reads nothing more of what readers have asked for.
    mutating func dropWanted() {
        wanted = []
        isWanted = []
    }

    /// Notes that a version could be read.
    mutating func succeeded() {
        isFailing = false
    }

    /// Notes that a version could not be read. Answers whether that is news.
    mutating func failed(_ version: UInt64) -> Bool {
        // The readers that asked for the others may be gone; those that are not ask again.
        if unreadable.count >= Self.wantedMax { unreadable = [] }
        unreadable.insert(version)
        defer { isFailing = true }
        return !isFailing
    }

    /// Whether a version could not be read, said once.
    mutating func takeFailure(of version: UInt64) -> Bool {
        unreadable.remove(version) != nil
    }
}
