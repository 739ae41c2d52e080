/// What waits for the publishing thread: commits and requests in their order, and the newest
/// version.
///
/// Bounded: at the bound, the commits become one. Of the requests that open streams, each has a
/// connection.
struct PublishingQueue<State: Sendable>: Sendable {
    /// The most commits that wait.
    static var commitsMax: Int { 512 }
    /// The most bytes that they have for themselves; a single larger one may still wait.
    static var bytesMax: Int { 16 << 20 }

    enum Item: Sendable {
        case commit(Commit<State>)
        /// With the version that was the newest when it came.
        case task(Snapshot, @Sendable (Snapshot) -> Void)
    }

    var published: Snapshot
    var items: [Item] = []
    /// The newest version that readers were sent, or began with; `nil` until then.
    var sent: UInt64?
    /// Whether the thread is there; it begins with the first item. On a pool, whether there ever
    /// was an item.
    var isRunning = false
    /// Whether the thread works, or was woken, or another thread does its work.
    var isAwake = false
    /// Whether a thread waits for all of it: then there is no pause.
    var isUrgent = false
    var isClosed = false
    /// Used on a pool only.
    var turns = PublishingTurns<State>()
    private(set) var commits = 0
    private(set) var bytes = 0

    init(published: Snapshot) {
        self.published = published
    }

    /// Whether there is room for many more commits.
    var keepsUp: Bool { commits < Self.commitsMax / 2 && bytes < Self.bytesMax / 2 }

    /// Adds a commit; at the bound, those that wait become one with it. A joining one becomes one
    /// with the last that waits, where all its readers are sent this one, too.
    mutating func add(_ commit: Commit<State>, joining joins: Bool = false) {
        if joins, case .commit(var last)? = items.last, last.isCovered(by: commit) {
            items.removeLast()
            bytes -= last.bytes
            last.take(in: commit)
            bytes += last.bytes
            items.append(.commit(last))
            return
        }
        guard commits < Self.commitsMax, commits == 0 || bytes + commit.bytes <= Self.bytesMax
        else {
            return join(with: commit)
        }
        items.append(.commit(commit))
        commits += 1
        bytes += commit.bytes
    }

    /// Takes all that waits.
    mutating func take() -> [Item] {
        defer {
            items = []
            (commits, bytes) = (0, 0)
        }
        return items
    }

    /// Makes all commits one, at the place of the first: a request behind that is answered by what
    /// is newer. At its own place, it would have been older.
    private mutating func join(with newest: Commit<State>) {
        var joined: Commit<State>?
        var tasks: [Item] = []
        for item in items + [.commit(newest)] {
            switch item {
            case .task: tasks.append(item)
            case .commit(let commit):
                if joined == nil { joined = commit } else { joined?.take(in: commit) }
            }
        }
        guard let joined else { return }
        items = [.commit(joined)] + tasks
        commits = 1
        bytes = joined.bytes
    }
}
