import StoreCore
import StoreEventStream

/// What the Core hands over after a commit: the versions that are durable now, and the readers that
/// are sent them.
struct Commit: Sendable {
    /// The most different audiences of commits that became one; beyond it, it is for all readers.
    static let audiencesMax = 16

    /// Is called with the commit, or with the one that it became a part of, for these readers.
    typealias Views = @Sendable (Commit, StreamAudience?) -> Void

    /// The versions, in their order: at least the newest.
    private(set) var snapshots: [Snapshot]
    /// The version that the first of them follows.
    let before: Snapshot
    /// The readers that are sent it: those of any of these; all where it is `nil`.
    private(set) var audiences: [Audience]?
    /// Sends what views show of the newest state, where a watched one reads what has changed.
    private(set) var views: Views?
    /// About how many bytes the versions have that no other has.
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

    /// Whether a later commit is for all readers of this one, so that its version may stand for
    /// those of this one.
    func isCovered(by later: Commit) -> Bool {
        guard let theirs = later.audiences else { return true }
        return audiences.map { $0.allSatisfy(theirs.contains) } ?? false
    }

    /// Takes in the commit that follows; of both, only the newest version is left. It is
    /// for the readers of either.
    mutating func take(in later: Commit) {
        let audience = (snapshots + later.snapshots).reduce(VersionAudience.sessions([])) {
            $0.union($1.audience)
        }
        snapshots = [later.newest.standing(for: audience)]
        // What only the versions between had is gone.
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
