import StorePlatform

/// What waits for the publishing thread: commits and requests in their order, and the newest
/// version.
///
/// Bounded: at the bound, the commits become one. Of the requests that open streams, each has a
/// connection.
struct PublishingQueue: WorkQueue {
    /// The most commits that wait.
    static let commitsMax = 512
    /// The most bytes that they have for themselves; a single larger one may still wait.
    static let bytesMax = 16 << 20

    enum Item: Sendable {
        case commit(Commit)
        /// With the version that was the newest when it came.
        case task(Snapshot, @Sendable (Snapshot) -> Void)
    }

    /// All that waited.
    struct Turn: Sendable {
        let items: [Item]
        /// The newest version that readers were sent before, or began with; `nil` until then.
        let sent: UInt64?
    }

    var published: Snapshot
    private var items: [Item] = []
    /// The newest version that readers have been sent when the thread has done what it took.
    private var sent: UInt64?
    /// The same for what waits, where something does.
    private var coming: UInt64?
    /// Whether another thread does the thread's work, which leaves alone meanwhile what comes.
    var isHeld = false
    /// Whether a thread waits for all of it: then there is no pause.
    var isUrgent = false
    private(set) var commits = 0
    private(set) var bytes = 0

    init(published: Snapshot) {
        self.published = published
    }

    var isEmpty: Bool { items.isEmpty || isHeld }

    /// Whether there is room for many more commits.
    var keepsUp: Bool { commits < Self.commitsMax / 2 && bytes < Self.bytesMax / 2 }

    /// Adds a commit; at the bound, those that wait become one with it. A joining one becomes one
    /// with the last that waits, where all its readers are sent this one, too.
    mutating func add(_ commit: Commit, joining joins: Bool = false) {
        coming = commit.newest.version
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

    /// Adds a request, with the newest version.
    mutating func add(_ task: @escaping @Sendable (Snapshot) -> Void) {
        coming = published.version
        items.append(.task(published, task))
    }

    /// Takes all that waits.
    mutating func take() -> Turn {
        defer {
            items = []
            (commits, bytes) = (0, 0)
            sent = coming
        }
        return Turn(items: items, sent: sent)
    }

    /// Has the caller's thread stand in for the worker, where none does. It brings a reader the
    /// published version; `sent` is the newest that readers were sent before.
    mutating func hold() -> (published: Snapshot, sent: UInt64?)? {
        guard !isHeld else { return nil }
        isHeld = true
        defer { sent = published.version }
        return (published, sent)
    }

    /// Forgets what waits.
    mutating func drop() {
        items = []
        (commits, bytes) = (0, 0)
    }

    /// Makes all commits one, at the place of the first: a request behind that is answered by what
    /// is newer. At its own place, it would have been older.
    private mutating func join(with newest: Commit) {
        var joined: Commit?
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
