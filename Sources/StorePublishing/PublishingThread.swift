import StoreCore
import StorePlatform
import Synchronization

/// The published state, and the thread that sends the state to readers: a separate thread, or a
/// thread of a pool. After a commit, the Core only swaps the snapshot and queues one value, even if
/// there are many readers.
///
/// The thread makes frames and answers of long polls from the queue, in the order of the commits. A
/// stream opens between two commits. So the stream begins with the newest version at the time of
/// the request, or with a later version, and misses no version after that.
///
/// Memory is bounded by ``PublishingQueue``. In a turn, the thread takes and processes all queued
/// items. At the queue's bound, after a slow turn, and while many actions arrive, waiting commits
/// are joined. Streams get only the newest version of joined commits. While many actions arrive,
/// the thread also pauses between its turns (``ReaderPace``).
///
/// With a ``PublicationPace``, streams get at most one version in an interval. After an interval
/// without changes, the first change is published at once. Later changes are joined, and are
/// published at the end of the interval. The newest snapshot, from which requests are answered, is
/// never behind.
final class PublishingThread: Sendable {
    /// The seconds after which a turn counts as slow. The turn after a slow turn publishes only the
    /// newest version.
    static let turnSecondsMax = 0.005

    /// The functions that process commits and tasks, on the publishing thread.
    struct Handlers: Sendable {
        /// Publishes the versions of a commit, in their order.
        let distribute: @Sendable (Commit) -> Void
        /// The thread calls this function after all tasks of a turn.
        let didRunTasks: @Sendable () -> Void
        /// The thread calls this function before the next item if versions were published in
        /// commits without readers. The thread does not get these commits.
        let didSkipVersions: @Sendable () -> Void
    }

    /// The values that one turn passes to the next turn. The two turns may run on different
    /// threads.
    private struct Pace {
        var reader = ReaderPace()
        /// The seconds that the stream writer had worked when the last turn ended.
        var lastSendingSeconds: Double?
    }

    let newest: NewestSnapshot
    private let worker: Worker<PublishingQueue>
    /// Returns true if a commit has to be queued for readers.
    private let hasReaders: @Sendable () -> Bool
    /// Returns the seconds that the stream writer has worked so far.
    private let sendingSeconds: @Sendable () -> Double
    private let publicationPace: PublicationPace?
    private let pauseEndSignal = TimedSemaphore()
    private let isBehind = Atomic(false)
    private let pace = Locked(Pace())

    /// Makes a publisher on the pool's threads, or on a separate thread with a nice value of 10.
    ///
    /// Each commit calls `hasReaders` after the swap of the snapshot. So if a request is about to
    /// become a reader, `hasReaders` has to return true before the request is queued.
    init(
        _ first: Snapshot,
        on pool: ThreadPool? = nil,
        pace: PublicationPace? = nil,
        hasReaders: @escaping @Sendable () -> Bool,
        sendingSeconds: @escaping @Sendable () -> Double = { 0 }
    ) {
        newest = NewestSnapshot(first)
        worker = Worker(
            "publishing",
            on: pool.map(WorkerThreads.pool) ?? .own(niceness: ReaderThread.niceness),
            queue: PublishingQueue(published: first, isPaced: pace != nil)
        )
        publicationPace = pace
        self.hasReaders = hasReaders
        self.sendingSeconds = sendingSeconds
    }

    /// Starts the thread; call `start` once. A separate thread calls `work` once, when it begins; a
    /// thread of a pool calls `work` in each turn. If `work` returns `nil`, publishing ends.
    func start(_ work: @escaping @Sendable () -> Handlers?) {
        worker.start(.withFirstWork) { [weak self] worker in
            guard let self, let work = work() else {
                _ = worker.close(seconds: 0) { $0.removeAllItems() }
                return
            }
            while let turn = worker.next(beforeSleep: { isBehind.store(false, ordering: .relaxed) })
            {
                runTurn(turn, work)
            }
        }
    }

    /// The newest published version. Any thread may read this property.
    var snapshot: Snapshot { newest.value }

    /// True if the thread is not behind. Each version may then have its own frame. Any thread may
    /// read this property.
    var keepsUp: Bool { publicationPace == nil && !isBehind.load(ordering: .relaxed) }

    /// Publishes a durable version, which readers may get from now on. Calls `commit` only if there
    /// are readers. The Core's thread calls this function, which never waits for readers.
    func advance(to newest: Snapshot, _ commit: () -> Commit) {
        let beginsInterval = worker.post { queue in
            queue.publishedSnapshot = newest
            // Swap before counting the readers. A reader that comes after the count then finds the
            // new snapshot.
            self.newest.swap(for: newest)
            // While a commit is held, a new reader gets the version before this commit. So each
            // later commit is queued, even if there are no readers yet.
            guard queue.isHolding || hasReaders() else { return false }
            if queue.isPaced { return queue.addPaced(commit()) }
            queue.add(commit(), joining: isBehind.load(ordering: .relaxed))
            if !queue.keepsUp { isBehind.store(true, ordering: .relaxed) }
            return false
        }
        if beginsInterval == true { awaitInterval() }
        if beginsInterval == nil { self.newest.swap(for: newest) }
    }

    /// Schedules the end of an interval of the pace, at which the held commit is published.
    private func awaitInterval() {
        publicationPace?.afterInterval { [weak self] in
            if self?.worker.post({ $0.endInterval() }) == true { self?.awaitInterval() }
        }
    }

    /// Runs `task` on the thread, in the order of commits and tasks. The argument of `task` is the
    /// newest version that readers got before the task. Any thread may call this function. After
    /// ``close()``, no task runs.
    ///
    /// `known` is the version that the reader has from an answer; 0 for no version. Between two
    /// publications, the streams may be behind this version. In this case, the task runs after the
    /// publication of this version.
    func perform(after known: UInt64 = 0, _ task: @escaping @Sendable (Snapshot) -> Void) {
        worker.post { $0.addTask(after: known, task) }
    }

    /// Runs `task` at once on the caller's thread, in place of the publishing thread. Does so only
    /// if the queue is empty, the thread is idle and `isQuick` returns true for the newest version.
    /// Returns true if `task` ran.
    func performNow(
        with work: Handlers,
        after known: UInt64 = 0,
        where isQuick: (Snapshot) -> Bool,
        _ task: (Snapshot) -> Void
    ) -> Bool {
        guard isQuick(snapshot),
            let held = worker.withRestingQueue({ $0.beginStandIn(after: known) })
        else { return false }
        if let sent = held.sent, held.published.version > sent { work.didSkipVersions() }
        task(held.published)
        worker.post { $0.hasStandIn = false }
        return true
    }

    /// Waits until the stream writer has all versions that were committed before this call, or
    /// until `seconds` are over.
    func flush(seconds: Double) {
        if worker.withRestingQueue({ $0.hasStandIn || $0.isHolding ? nil : true }) == true {
            return
        }
        let done = TimedSemaphore()
        let posted: Void? = worker.post { queue in
            queue.skipsPauses = true
            queue.releaseHeldCommit()
            queue.addTask { _ in done.signal() }
        }
        guard posted != nil else { return }
        pauseEndSignal.signal()
        _ = done.wait(seconds: seconds)
        worker.withQueue { $0.skipsPauses = false }
    }

    /// Ends the thread after the thread has processed the queue. Returns at once.
    func close() {
        _ = worker.close(seconds: 0) { queue in
            queue.skipsPauses = true
            // After the close, no post can reset `hasStandIn`, so this function resets the flag.
            queue.hasStandIn = false
        }
        pauseEndSignal.signal()
    }
}

// The work of the thread.

extension PublishingThread {
    /// Publishes the commits and runs the tasks of one turn.
    private func runTurn(_ turn: PublishingQueue.Turn, _ work: Handlers) {
        var version = turn.sentVersion
        let began = SystemTime.steadySeconds()
        pace.withLock { $0.reader.beginWork(at: began) }
        var (isPublishing, isAnswering) = (false, false)
        var waitingCommit: Commit?
        var newest: Snapshot?
        func distributeWaiting() {
            guard let commit = waitingCommit else { return }
            waitingCommit = nil
            isPublishing = true
            if let version, commit.previous.version > version { work.didSkipVersions() }
            (version, newest) = (commit.newest.version, commit.newest)
            work.distribute(commit)
        }
        for item in turn.items {
            switch item {
            case .commit(let commit):
                if isBehind.load(ordering: .relaxed), waitingCommit?.isCovered(by: commit) == true {
                    waitingCommit?.join(commit)
                } else {
                    distributeWaiting()
                    waitingCommit = commit
                }
            case .task(let published, let task):
                distributeWaiting()
                if let version, published.version > version { work.didSkipVersions() }
                // After commits were joined, the newest version may be newer than `published`.
                let current =
                    newest.flatMap { $0.version > published.version ? $0 : nil } ?? published
                version = current.version
                task(current)
                isAnswering = true
            }
        }
        distributeWaiting()
        if isAnswering { work.didRunTasks() }
        endTurn(since: began, isPublishing)
    }

    /// Ends a turn. If a pause is due, pauses so that other threads get the processor.
    private func endTurn(since began: Double, _ isPublishing: Bool) {
        let (ended, sent) = (SystemTime.steadySeconds(), sendingSeconds())
        let version = snapshot.version
        let (isBusy, pause) = pace.withLock { pace in
            pace.reader.noteVersion(version, at: ended)
            // The stream writer sends a turn's frames during the next turn. So the seconds are
            // right only in the sum over several turns.
            let others = sent - (pace.lastSendingSeconds ?? sent)
            pace.lastSendingSeconds = sent
            return (
                pace.reader.isBusy, pace.reader.pauseSeconds(at: ended, otherWorkSeconds: others)
            )
        }
        isBehind.store(isBusy || ended - began > Self.turnSecondsMax, ordering: .relaxed)
        if isPublishing, let pause { self.pause(pause) }
    }

    /// Pauses within a long turn if a pause is due. The publishing thread calls this function.
    func pauseIfBusy() {
        let now = SystemTime.steadySeconds()
        guard pace.withLock({ $0.reader.isPauseDue(at: now) }) else { return }
        let version = snapshot.version
        let pause = pace.withLock { pace in
            pace.reader.noteVersion(version, at: now)
            return pace.reader.pauseSeconds(at: now)
        }
        guard let pause else { return }
        self.pause(pause)
        pace.withLock { $0.reader.beginWork(at: SystemTime.steadySeconds()) }
    }

    /// Pauses for the Core and the event loop, unless another thread waits for the publishing
    /// thread.
    private func pause(_ seconds: Double) {
        guard !worker.withQueue({ $0.skipsPauses }) else { return }
        _ = pauseEndSignal.wait(seconds: seconds)
    }
}

/// The shortest time between two publications of a store.
package struct PublicationPace: Sendable {
    /// Calls a function once, when an interval from now on is over. Does not wait.
    let afterInterval: @Sendable (@escaping @Sendable () -> Void) -> Void

    package init(_ afterInterval: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.afterInterval = afterInterval
    }
}

/// A thread that works for readers. If processors are scarce, the event loop and the Core run
/// first, and this thread gets a tenth of their time. A higher nice value needs no privilege.
///
/// Hold shared locks for a few instructions only, because this thread may be preempted meanwhile.
package enum ReaderThread {
    /// The nice value of the thread. If the process has a higher nice value, the thread keeps the
    /// value of the process.
    package static let niceness: CInt = 10

    /// Starts a detached thread. The first 15 bytes of `name` appear in `top -H` and debuggers.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        SystemThread.start(name: name, niceness: niceness, body)
    }
}
