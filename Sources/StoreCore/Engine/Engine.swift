import Dispatch
import StorePlatform
import Synchronization

/// The working half of a Core: a mailbox in front, and behind it the state, which only the thread
/// that drains the mailbox touches.
final class Engine: @unchecked Sendable {
    // Safety: everything below `owner` belongs to the thread that set `isDraining` (or to the
    // Core's own, or to the pool's thread whose turn it is), and passes from one to the next under
    // the mailbox's lock or the pool's.

    let ports: EnginePorts
    let mailbox: Locked<Mailbox>
    let wake = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    let refused = Atomic<UInt64>(0)
    let dropped = Atomic<UInt64>(0)
    /// Whether others than the callers do the work: a thread of its own, or a pool.
    let isThreaded: Bool
    /// The pool that does the work, where one does.
    let pool: ThreadPool?
    /// Whether an action can go straight through: nothing to append, encode or compare.
    let isPlain: Bool
    /// Whether a commit waits for a disk, so that it pays to let a batch grow first: the thread
    /// that fills the mailbox on the same core goes on before the next batch is taken.
    let isSlowToCommit: Bool
    /// Whether the time that a reducer takes is measured.
    let isTimed: Bool
    /// Receives what is measured.
    let figures: CoreFigures?
    /// Whether envelopes may have spans.
    let isTraced: Bool
    /// When the envelope was offered that is being worked on, until its first action is reduced; 0
    /// where that is not measured.
    @exclusivity(unchecked) var waitsSince: UInt64 = 0
    /// Whether the follower gets each action.
    let takesActions: Bool

    let owner: any StateOwner
    let counts: WatcherCounts
    @exclusivity(unchecked) var batch: Batch
    /// What clients see; `nil` where all see the same.
    @exclusivity(unchecked) var seen: SeenVersions?
    /// Whether sessions have slices of their own.
    let hasSessions: Bool
    /// What was taken out of the mailbox last; empty, with its memory, when all is worked off.
    @exclusivity(unchecked) var taken: ContiguousArray<Mailbox.Item> = []
    /// How many versions the plain path has made: it has no batch.
    @exclusivity(unchecked) var plainVersions: UInt64 = 0
    /// Set by a failure whose outcome is unknown: nothing is applied any more.
    @exclusivity(unchecked) var hasFailed = false
    /// How many items of `taken` are worked off; a turn on a pool may end between two.
    @exclusivity(unchecked) var workedCount = 0
    /// The end of the portion that is worked off, on a pool.
    @exclusivity(unchecked) var portionEnd = 0
    /// How many idempotency keys `taken` has.
    @exclusivity(unchecked) var takenKeys = 0
    @exclusivity(unchecked) var lookedUp = LookedUpKeys()
    /// How often in a row an append found that others were first.
    @exclusivity(unchecked) var conflicts = 0

    /// The newest version that the journal has announced as written by others.
    let announced = Atomic<UInt64>(0)
    /// Whether a task waits in the mailbox that reads what others wrote.
    let isFollowing = Atomic(false)
    /// Ends the notifications of the journal.
    private var watching: PlainCommand?

    init(_ owner: any StateOwner, _ ports: EnginePorts, hasSink: Bool) {
        self.owner = owner
        counts = owner.counts
        self.ports = ports
        switch ports.driver {
        case .caller: (isThreaded, pool) = (false, nil)
        case .thread: (isThreaded, pool) = (true, nil)
        case .pool(let pool): (isThreaded, self.pool) = (true, pool)
        }
        isPlain =
            ports.journal == nil && !hasSink && ports.effects == nil && ports.member == nil
        isSlowToCommit = ports.journal?.canFail == true
        takesActions = ports.follower?.takesActions == true
        figures = ports.figures
        isTraced = ports.tracing != nil
        isTimed = ports.progress != nil || takesActions || figures != nil
        mailbox = Locked(
            Mailbox(
                isThreaded: isThreaded,
                clientsMax: ports.mailboxMax,
                ownMax: ports.ownMailboxMax
            )
        )
        batch = Batch(startingAt: ports.version ?? ports.journal?.version ?? 0)
        hasSessions = owner.hasSessions
        seen =
            hasSessions || ports.hasSights
            ? SeenVersions(after: batch.base, byModule: ports.hasSights) : nil
        watching = ports.journal?.watch { [weak self] in self?.moved(to: $0) }
        // What came before the watch began.
        if watching != nil, let newest = ports.journal?.version, newest > version {
            moved(to: newest)
        }
    }

    deinit {
        watching?.execute()
    }

    /// The version of the state as it is, durable or not.
    var version: UInt64 { batch.version + plainVersions }

    var refusedTotal: UInt64 { refused.load(ordering: .relaxed) }
    var droppedTotal: UInt64 { dropped.load(ordering: .relaxed) }
}
