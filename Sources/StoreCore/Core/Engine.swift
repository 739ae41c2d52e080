import Dispatch
import StorePlatform
import Synchronization

/// The half of a Core that takes, orders and commits actions. The engine has the mailbox, the batch
/// and the owner of the state. Only the thread that drains the mailbox uses the state.
///
/// The engine does not have the type of the state. Client requests go directly to the engine. They
/// therefore need no lookup of a generic type at run time.
package final class Engine: @unchecked Sendable {
    // Safety: all members below `stateOwner` belong to the working thread. The working thread is
    // the thread that set `isDraining`, the Core's own thread, or the thread that runs a turn. The
    // members pass from thread to thread under the mailbox's lock or the pool's lock.

    let ports: EnginePorts
    let mailbox: Locked<Mailbox>
    let wakeSemaphore = DispatchSemaphore(value: 0)
    let endSemaphore = DispatchSemaphore(value: 0)
    let mailboxRefusedCount = Atomic<UInt64>(0)
    let droppedActionCount = Atomic<UInt64>(0)
    /// True if a thread of the Core or of a pool does the work. Otherwise the callers do the work.
    let isThreaded: Bool
    let pool: ThreadPool?
    /// True if an action can take the short path: the engine appends, encodes and compares nothing.
    let hasShortPath: Bool
    /// True if a commit waits for a disk, so that a larger batch is worth a short wait. The Core's
    /// thread then yields the processor before the next batch, so that other threads can go on
    /// filling the mailbox.
    let isSlowToCommit: Bool
    /// True if the Core has a thread of its own and no commit waits for a disk. Another thread may
    /// then run a turn.
    let lendsTurns: Bool
    /// The number of turns that the Core's thread runs before another thread may run a turn.
    @exclusivity(unchecked) var remainingOwnTurnCount = 0
    /// True if the time of the reducer is measured.
    let measuresReducerTime: Bool
    /// True if envelopes may have spans.
    let isTraced: Bool
    /// The time at which the current envelope was offered; 0 after its first action was reduced,
    /// and if the time is not measured.
    @exclusivity(unchecked) var offerTime: UInt64 = 0
    /// True if the follower gets each applied action.
    let followerTakesActions: Bool

    let stateOwner: any StateOwner
    let watcherCounts: WatcherCounts
    @exclusivity(unchecked) var batch: Batch
    /// The versions that last changed the state that each client sees. `nil` if all clients see the
    /// same state, and no condition so far has named members of the state.
    @exclusivity(unchecked) var lastVisibleChanges: LastVisibleChanges?
    let hasOwnedSlices: Bool
    /// The items that were last taken from the mailbox. After they are processed, the array is
    /// empty and keeps its memory.
    @exclusivity(unchecked) var takenItems: ContiguousArray<Mailbox.Item> = []
    /// The number of versions that the short path has made; the short path uses no batch.
    @exclusivity(unchecked) var shortPathVersionCount: UInt64 = 0
    /// True after an append with an unknown outcome, and after a failure to apply the records of
    /// other writers. From then on, the engine applies nothing.
    @exclusivity(unchecked) var hasFailed = false
    /// The number of processed items of `takenItems`; a turn on a pool may end between two items.
    @exclusivity(unchecked) var processedItemCount = 0
    /// The index in `takenItems` at which the current portion ends; used only on a pool.
    @exclusivity(unchecked) var portionEndIndex = 0
    /// The number of idempotency keys in `takenItems`.
    @exclusivity(unchecked) var takenKeyCount = 0
    @exclusivity(unchecked) var keyOutcomes = KeyOutcomes()
    /// The number of successive appends that met a conflict.
    @exclusivity(unchecked) var successiveConflictCount = 0
    /// The replay of the records of other writers; `nil` without a reader of records.
    @exclusivity(unchecked) var replay: RecordReplay?

    /// The newest version of other writers that the journal has reported.
    let remoteVersion = Atomic<UInt64>(0)
    /// True if a task in the mailbox is about to read the records of other writers.
    let isFollowQueued = Atomic(false)
    /// The command that ends the notifications of the journal.
    private var endJournalWatch: PlainCommand?

    init(_ owner: any StateOwner, _ ports: EnginePorts, hasSink: Bool) {
        self.stateOwner = owner
        watcherCounts = owner.watcherCounts
        self.ports = ports
        switch ports.driver {
        case .caller: (isThreaded, pool) = (false, nil)
        case .thread: (isThreaded, pool) = (true, nil)
        case .pool(let pool): (isThreaded, self.pool) = (true, pool)
        }
        hasShortPath =
            ports.journal == nil && !hasSink && ports.effects == nil && ports.makeMember == nil
        isSlowToCommit = ports.journal?.canFail == true
        lendsTurns = isThreaded && pool == nil && !isSlowToCommit
        followerTakesActions = ports.follower?.takesAppliedActions == true
        isTraced = ports.tracing != nil
        measuresReducerTime = ports.progress != nil || followerTakesActions || ports.figures != nil
        mailbox = Locked(
            Mailbox(
                isThreaded: isThreaded,
                clientActionsMax: ports.clientMailboxMax,
                programActionsMax: ports.programMailboxMax
            )
        )
        replay = ports.reader.map { RecordReplay($0) }
        batch = Batch(startingAt: ports.initialVersion ?? ports.journal?.version ?? 0)
        hasOwnedSlices = owner.hasOwnedSlices
        lastVisibleChanges =
            hasOwnedSlices || ports.limitsVisibleModules
            ? LastVisibleChanges(
                after: batch.baseVersion,
                byModule: ports.limitsVisibleModules,
                restrictedModules: owner.restrictedModules
            )
            : nil
        endJournalWatch = ports.journal?.watch { [weak self] in
            self?.readRecordsOfOtherWriters(upTo: $0)
        }
        // The watch does not report versions that were appended before it began.
        if endJournalWatch != nil, let newest = ports.journal?.version, newest > version {
            readRecordsOfOtherWriters(upTo: newest)
        }
    }

    deinit { endJournalWatch?() }

    var figures: CoreFigures? { ports.figures }

    /// The version of the current state, durable or not.
    var version: UInt64 { batch.version + shortPathVersionCount }
}
