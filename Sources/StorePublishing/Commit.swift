import StoreCore
import StoreWire

/// The durable versions that the Core hands over after a commit, and the readers that get them.
struct Commit: Sendable {
    /// The most audiences that joined commits keep apart. With more, the joined commit is for all
    /// readers.
    static let audiencesMax = 16

    /// A function that publishes watched views for the readers of a commit, or of the joined commit
    /// that the commit became a part of.
    typealias Views = @Sendable (Commit, ReaderFilter?) -> Void

    /// The versions in ascending order: at least the newest.
    private(set) var snapshots: [Snapshot]
    /// The version before the first of ``snapshots``.
    let before: Snapshot
    /// The audiences whose readers get the commit; `nil` if all readers get it.
    private(set) var audiences: [Audience]?
    /// The function that publishes views of the newest state; `nil` if no watched view reads a
    /// changed module.
    private(set) var views: Views?
    /// The approximate number of bytes that the versions do not share with other versions.
    private(set) var bytes: Int

    init(
        _ snapshots: [Snapshot],
        after before: Snapshot,
        for audience: Audience?,
        _ views: Views? = nil
    ) {
        self.snapshots = snapshots
        self.before = before
        audiences = audience.map { [$0] }
        self.views = views
        bytes = snapshots.reduce(0) { $0 + $1.ownBytes }
    }

    var newest: Snapshot { snapshots.last ?? before }

    /// True if every reader of this commit is also a reader of `later`. The version of `later` may
    /// then replace the versions of this commit.
    func isCovered(by later: Commit) -> Bool {
        guard let theirs = later.audiences else { return true }
        return audiences.map { $0.allSatisfy(theirs.contains) } ?? false
    }

    /// Joins the next commit to this one. The result has only the newest version, and is for the
    /// readers of both commits.
    mutating func take(in later: Commit) {
        let readers = (snapshots + later.snapshots).reduce(VersionReaders.sessions([])) {
            $0.union($1.readers)
        }
        snapshots = [later.newest.standing(for: readers)]
        // The bytes of the versions between are free now.
        bytes = later.newest.ownBytes
        views = later.views ?? views
        guard let mine = audiences, let theirs = later.audiences else {
            audiences = nil
            return
        }
        let all = mine + theirs.filter { !mine.contains($0) }
        audiences = all.count <= Self.audiencesMax ? all : nil
    }
}
