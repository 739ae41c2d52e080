import StorePlatform

/// The queue of the publishing thread: commits and tasks in their order, and the newest version.
///
/// Bounded: at the bound, all commits are joined. Each task that opens a stream belongs to a
/// connection, so the server's bound on connections limits them.
struct PublishingQueue: WorkQueue {
    static let commitsMax = 512
    /// The most bytes that the commits do not share with other versions. A single larger commit may
    /// still wait.
    static let bytesMax = 16 << 20

    enum Item: Sendable {
        case commit(Commit)
        /// A task, with the newest version at the time of its arrival.
        case task(Snapshot, @Sendable (Snapshot) -> Void)
    }

    struct Turn: Sendable {
        let items: [Item]
        /// The newest version that readers were sent before the turn; `nil` before the first.
        let sent: UInt64?
    }

    var published: Snapshot
    private var items: [Item] = []
    /// The version that readers have when all taken items are done.
    private var sent: UInt64?
    /// The version that readers have when all queued items are done; `nil` before the first item.
    private var coming: UInt64?
    /// True if another thread does the work of the publishing thread. The publishing thread then
    /// takes no items.
    var isHeld = false
    /// True if a thread waits until the queue is empty: then the publishing thread does not pause.
    var isUrgent = false
    private(set) var commits = 0
    private(set) var bytes = 0

    init(published: Snapshot) { self.published = published }

    var isEmpty: Bool { items.isEmpty || isHeld }

    /// True if the queue is less than half full.
    var keepsUp: Bool { commits < Self.commitsMax / 2 && bytes < Self.bytesMax / 2 }

    /// Adds a commit. At the bound, joins it with all queued commits. If `joins`, merges it into
    /// the last item, provided that this is a commit whose readers all get the new commit, too.
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
        else { return join(with: commit) }
        items.append(.commit(commit))
        commits += 1
        bytes += commit.bytes
    }

    mutating func add(_ task: @escaping @Sendable (Snapshot) -> Void) {
        coming = published.version
        items.append(.task(published, task))
    }

    mutating func take() -> Turn {
        defer {
            drop()
            sent = coming
        }
        return Turn(items: items, sent: sent)
    }

    /// Reserves the worker's place for the caller's thread; `nil` if another thread has it. Returns
    /// the published version for the caller's reader, and the newest version that readers were sent
    /// before.
    mutating func hold() -> (published: Snapshot, sent: UInt64?)? {
        guard !isHeld else { return nil }
        isHeld = true
        defer { sent = published.version }
        return (published, sent)
    }

    mutating func drop() {
        items = []
        (commits, bytes) = (0, 0)
    }

    /// Joins all commits at the place of the first. Tasks behind the first commit get a newer
    /// version than at their own place, never an older version.
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
