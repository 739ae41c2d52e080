import StoreCore
import StorePlatform
import StoreWire

/// The queue of the publishing thread: commits and tasks in their order, and the newest version.
///
/// The queue is bounded: at the bound, all queued commits are joined into one commit. Each task
/// that opens a stream belongs to a connection, so the server's bound on connections limits these
/// tasks.
///
/// A paced queue publishes at most one commit between two calls of ``endInterval()``. Meanwhile,
/// the queue joins the later commits into one held commit. A new reader gets the version that the
/// other readers have.
struct PublishingQueue: WorkQueue {
    static let commitsMax = 512
    /// The most bytes of queued commits, without the bytes that versions share. A single commit may
    /// have more bytes.
    static let bytesMax = 16 << 20

    enum Item: Sendable {
        case commit(Commit)
        /// A task, with the newest version at the time of its arrival.
        case task(Snapshot, @Sendable (Snapshot) -> Void)
    }

    /// The items that the publishing thread takes at once.
    struct Turn: Sendable {
        let items: [Item]
        /// The newest version that was sent to readers before the turn; `nil` before the first
        /// turn.
        let sentVersion: UInt64?
    }

    var publishedSnapshot: Snapshot
    private var items: [Item] = []
    /// The newest version that readers have after all taken items are processed.
    private var sentVersion: UInt64?
    /// The newest version that readers have after all queued items are processed; `nil` before the
    /// first item.
    private var queuedVersion: UInt64?
    /// True if another thread does the work of the publishing thread. In this case, the publishing
    /// thread takes no items.
    var hasStandIn = false
    /// True if a thread waits until the queue is empty. In this case, the publishing thread does
    /// not pause.
    var skipsPauses = false
    private(set) var commitCount = 0
    private(set) var commitBytes = 0
    /// True if the queue holds commits between two publications.
    let isPaced: Bool
    /// True from a publication until ``endInterval()``.
    private var isIntervalUnderWay = false
    /// The commits since the last publication, joined.
    private var heldCommit: Commit?
    /// The tasks that need the version of the held commit.
    private var heldTasks: [@Sendable (Snapshot) -> Void] = []

    init(published: Snapshot, isPaced: Bool = false) {
        self.publishedSnapshot = published
        self.isPaced = isPaced
    }

    /// The version that readers have when all queued items are processed. The held commit is not a
    /// part of it.
    private var readableSnapshot: Snapshot { heldCommit?.previous ?? publishedSnapshot }

    /// True if a commit waits for the end of the interval.
    var isHolding: Bool { heldCommit != nil }

    var isEmpty: Bool { items.isEmpty || hasStandIn }

    /// True if commits fill less than half of the queue, and the queue is not paced.
    var keepsUp: Bool {
        !isPaced && commitCount < Self.commitsMax / 2 && commitBytes < Self.bytesMax / 2
    }

    /// Adds a commit. At the bound, joins all queued commits with the new commit. With `joins`,
    /// joins the new commit with the last item, if all readers of this item also get the new
    /// commit.
    mutating func add(_ commit: Commit, joining joins: Bool = false) {
        queuedVersion = commit.newest.version
        if joins, case .commit(var last)? = items.last, last.isCovered(by: commit) {
            items.removeLast()
            commitBytes -= last.ownBytes
            last.join(commit)
            commitBytes += last.ownBytes
            items.append(.commit(last))
            return
        }
        guard commitCount < Self.commitsMax,
            commitCount == 0 || commitBytes + commit.ownBytes <= Self.bytesMax
        else { return joinAllCommits(with: commit) }
        items.append(.commit(commit))
        commitCount += 1
        commitBytes += commit.ownBytes
    }

    /// Adds a task. If the task needs a later version than readers have, the task waits for the
    /// publication of the held commit.
    mutating func addTask(after known: UInt64 = 0, _ task: @escaping @Sendable (Snapshot) -> Void) {
        guard !isHeldBack(known) else { return heldTasks.append(task) }
        queuedVersion = readableSnapshot.version
        items.append(.task(readableSnapshot, task))
    }

    /// Adds a commit to a paced queue. Returns true if the commit begins an interval. The caller
    /// then calls ``endInterval()`` when the interval is over.
    mutating func addPaced(_ commit: Commit) -> Bool {
        if heldCommit == nil { heldCommit = commit } else { heldCommit?.join(commit) }
        guard !isIntervalUnderWay else { return false }
        isIntervalUnderWay = true
        releaseHeldCommit()
        return true
    }

    /// Ends an interval. If there is a held commit, publishes the commit, begins the next interval,
    /// and returns true.
    mutating func endInterval() -> Bool {
        isIntervalUnderWay = isHolding
        releaseHeldCommit()
        return isIntervalUnderWay
    }

    /// Publishes the held commit before the end of the interval.
    mutating func releaseHeldCommit() {
        guard let commit = heldCommit else { return }
        heldCommit = nil
        add(commit.withoutOlderVersions, joining: true)
        for task in heldTasks { addTask(task) }
        heldTasks = []
    }

    /// Returns true if a version belongs to the held commit. No reader has this version yet.
    private func isHeldBack(_ version: UInt64) -> Bool {
        isHolding && version > readableSnapshot.version
    }

    mutating func take() -> Turn {
        defer {
            removeAllItems()
            sentVersion = queuedVersion
        }
        return Turn(items: items, sentVersion: sentVersion)
    }

    /// Makes the caller's thread the stand-in for the publishing thread (``hasStandIn``). Returns
    /// the published version for the caller's reader, and the newest version that was sent to
    /// readers so far. Returns `nil` if another thread already stands in, or if the reader needs a
    /// held version.
    mutating func beginStandIn(after known: UInt64 = 0) -> (published: Snapshot, sent: UInt64?)? {
        guard !hasStandIn, !isHeldBack(known) else { return nil }
        hasStandIn = true
        defer { sentVersion = readableSnapshot.version }
        return (readableSnapshot, sentVersion)
    }

    mutating func removeAllItems() {
        items = []
        (commitCount, commitBytes) = (0, 0)
    }

    /// Joins all commits at the position of the first commit. So a task after the first commit may
    /// get a newer version, but never an older version.
    private mutating func joinAllCommits(with newest: Commit) {
        var joined: Commit?
        var tasks: [Item] = []
        for item in items + [.commit(newest)] {
            switch item {
            case .task: tasks.append(item)
            case .commit(let commit):
                if joined == nil { joined = commit } else { joined?.join(commit) }
            }
        }
        guard let joined else { return }
        items = [.commit(joined)] + tasks
        commitCount = 1
        commitBytes = joined.ownBytes
    }
}

/// The durable versions that the Core hands over after a commit, and the audiences that get these
/// versions.
struct Commit: Sendable {
    /// The most audiences that a joined commit has. If there are more, the joined commit is for all
    /// readers.
    static let audiencesMax = 16

    /// A function that publishes watched views for the readers of a commit. The commit in the call
    /// may be a joined commit, with more readers.
    typealias ViewPublisher = @Sendable (Commit, ReaderFilter?) -> Void

    /// The versions of the commit, in ascending order: all versions, or only the newest version.
    private(set) var snapshots: [Snapshot]
    /// The version before the first of ``snapshots``.
    let previous: Snapshot
    /// The audiences whose readers get the commit; `nil` if all readers get it.
    private(set) var audiences: [Audience]?
    /// The function that publishes views of the newest state; `nil` if no watched view reads a
    /// changed module.
    private(set) var publishViews: ViewPublisher?
    /// The approximate number of bytes that the versions do not share with other versions.
    private(set) var ownBytes: Int

    init(
        _ snapshots: [Snapshot],
        after before: Snapshot,
        for audience: Audience?,
        _ views: ViewPublisher? = nil
    ) {
        self.snapshots = snapshots
        self.previous = before
        audiences = audience.map { [$0] }
        self.publishViews = views
        ownBytes = snapshots.reduce(0) { $0 + $1.ownBytes }
    }

    var newest: Snapshot { snapshots.last ?? previous }

    /// Returns true if every reader of this commit is also a reader of `later`. If this is true,
    /// the newest version of `later` may replace the versions of this commit.
    func isCovered(by later: Commit) -> Bool {
        guard let theirs = later.audiences else { return true }
        return audiences.map { $0.allSatisfy(theirs.contains) } ?? false
    }

    /// The same commit with only its newest version.
    var withoutOlderVersions: Commit {
        guard snapshots.count > 1 else { return self }
        var last = self
        let readers = snapshots.reduce(VersionReaders.owners([])) { $0.union($1.readers) }
        last.snapshots = [newest.addingReaders(readers)]
        last.ownBytes = newest.ownBytes
        return last
    }

    /// Joins the next commit to this commit. The joined commit has only the newest version, and is
    /// for the readers of both commits.
    mutating func join(_ later: Commit) {
        let readers = (snapshots + later.snapshots).reduce(VersionReaders.owners([])) {
            $0.union($1.readers)
        }
        snapshots = [later.newest.addingReaders(readers)]
        // This commit no longer holds the bytes of the versions before the newest.
        ownBytes = later.newest.ownBytes
        publishViews = later.publishViews ?? publishViews
        guard let mine = audiences, let theirs = later.audiences else {
            audiences = nil
            return
        }
        let all = mine + theirs.filter { !mine.contains($0) }
        audiences = all.count <= Self.audiencesMax ? all : nil
    }
}
