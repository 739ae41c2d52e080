/// What the readers of the log need, and what is there for them.
struct LogWork {
    /// The most versions that wait to be read; whoever asks for more asks again.
    static let wantedMax = 1_024

    var cache = LogCache()
    /// The oldest version that there is, as far as is known.
    var oldest: UInt64 = 1
    var isRunning = false
    var isSleeping = false
    var isClosed = false
    /// Versions that readers need next, in the order in which they asked.
    private var wanted: [UInt64] = []
    private var isWanted: Set<UInt64> = []
    /// Versions that could not be read, for whoever asks next.
    private var unreadable: Set<UInt64> = []
    /// Whether the last attempt to read failed.
    private var isFailing = false

    /// Notes a version to be read. Answers whether the thread sleeps.
    mutating func want(_ version: UInt64) -> Bool {
        guard wanted.count < Self.wantedMax, isWanted.insert(version).inserted else {
            return false
        }
        wanted.append(version)
        defer { isSleeping = false }
        return isSleeping
    }

    /// The version to be read next; where there is none, the thread is about to sleep.
    mutating func takeWanted() -> UInt64? {
        isSleeping = wanted.isEmpty
        guard !isSleeping else { return nil }
        let version = wanted.removeFirst()
        isWanted.remove(version)
        return version
    }

    /// Notes that a version could be read.
    mutating func succeeded() {
        isFailing = false
    }

    /// Notes that a version could not be read. Answers whether that is news.
    mutating func failed(_ version: UInt64) -> Bool {
        // Those who asked for the others may be gone; whoever is not asks again.
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
