import StoreCore
import StoreEventStream
import StorePlatform
import Synchronization

/// The published state, and the thread, its own or a pool's, that brings it to readers: so that the
/// Core goes on after each commit, however many read, and however long that takes.
///
/// The Core swaps the snapshot and leaves one value. In the order of the commits, the thread makes
/// of it what streams and long polls are sent. A stream opens at its place in that order, so it
/// begins with what was published when it was asked for, or later, and misses nothing after that.
///
/// Bounded: what waits is what ``PublishingQueue`` holds. Beyond that, after a turn that took long,
/// and while many actions come, commits that wait become one, and streams get its newest version
/// only; in the last case the thread pauses between its turns, too (``ReaderPace``).
final class Publishing: Sendable {
    /// A turn that takes longer makes the next one leave out all versions but the newest.
    static let turnSecondsMax = 0.005

    /// What is done with commits and requests, on the thread.
    struct Work: Sendable {
        /// Versions are to be published, in order.
        let publish: @Sendable (Commit) -> Void
        /// All that was asked for in a turn is done.
        let answered: @Sendable () -> Void
        /// Versions were published that the thread did not get, because no stream was read.
        let skipped: @Sendable () -> Void
    }

    /// What lies between two turns, of which each may be on another thread.
    private struct Pace {
        var reader = ReaderPace()
        /// How many seconds the stream writer had worked by the end of the last turn.
        var sendingSeconds: Double?
    }

    let newest: NewestSnapshot
    private let worker: Worker<PublishingQueue>
    /// Whether a commit has to be handed over.
    private let isRead: @Sendable () -> Bool
    /// How many seconds the stream writer has worked so far.
    private let sending: @Sendable () -> Double
    private let hurry = TimedSemaphore()
    private let lags = Atomic(false)
    private let pace = Locked(Pace())

    /// Publishes on the pool's threads, with a nice value of 10, or on a thread of its own.
    ///
    /// `isRead` returns whether there is a reader, or a request that is about to be one. It is
    /// asked while the snapshot is swapped, and has to be true before a request is handed over.
    /// `sending` counts the seconds of work that sending what was published has taken so far.
    init(
        _ first: Snapshot,
        on pool: ThreadPool? = nil,
        isRead: @escaping @Sendable () -> Bool,
        sending: @escaping @Sendable () -> Double = { 0 }
    ) {
        newest = NewestSnapshot(first)
        worker = Worker(
            "publishing",
            on: pool.map(WorkerThreads.pool) ?? .own(niceness: ReaderThread.niceness),
            queue: PublishingQueue(published: first)
        )
        self.isRead = isRead
        self.sending = sending
    }

    /// Lets the thread begin with what comes first. `work` is asked for what it does when it
    /// begins, on a pool in each turn; where that is `nil` nothing is published any more. Called
    /// once.
    func start(_ work: @escaping @Sendable () -> Work?) {
        worker.start(.withFirstWork) { [weak self] worker in
            guard let self, let work = work() else {
                _ = worker.close(seconds: 0) { $0.drop() }
                return
            }
            while let turn = worker.next(beforeSleep: { lags.store(false, ordering: .relaxed) }) {
                workOff(turn, work)
            }
        }
    }

    /// The newest published version. Any thread.
    var snapshot: Snapshot { newest.value }

    /// Whether each version is worth a frame of its own: the thread is not behind. Any thread.
    var keepsUp: Bool { !lags.load(ordering: .relaxed) }

    /// Publishes what is durable: from now on readers may see it. What they are sent is made only
    /// where there are any. The Core's thread; never waits for readers.
    func commit(_ newest: Snapshot, _ commit: () -> Commit) {
        let posted: Void? = worker.post { queue in
            queue.published = newest
            // Before the readers are counted: one that comes from now on and is not counted finds
            // this one.
            self.newest.swap(for: newest)
            guard isRead() else { return }
            queue.add(commit(), joining: lags.load(ordering: .relaxed))
            if !queue.keepsUp { lags.store(true, ordering: .relaxed) }
        }
        if posted == nil { self.newest.swap(for: newest) }
    }

    /// Does something at its place between the commits, with the newest version that was published
    /// to readers by then. Any thread. After the end, nothing is done.
    func perform(_ task: @escaping @Sendable (Snapshot) -> Void) {
        worker.post { $0.add(task) }
    }

    /// The same at once, on the caller's thread, which stands in for the other one; where that has
    /// nothing to do, and the task costs little, given the newest version. Returns whether it was
    /// done.
    func performNow(
        _ work: Work,
        where isQuick: (Snapshot) -> Bool,
        _ task: (Snapshot) -> Void
    ) -> Bool {
        guard isQuick(snapshot), let held = worker.withRestingQueue({ $0.hold() }) else {
            return false
        }
        if let sent = held.sent, held.published.version > sent { work.skipped() }
        task(held.published)
        worker.post { $0.isHeld = false }
        return true
    }

    /// Waits until all that was committed before is with the stream writer, or the time is over.
    func flush(seconds: Double) {
        if worker.withRestingQueue({ $0.isHeld ? nil : true }) == true { return }
        let done = TimedSemaphore()
        let posted: Void? = worker.post { queue in
            queue.isUrgent = true
            queue.add { _ in done.signal() }
        }
        guard posted != nil else { return }
        hurry.signal()
        _ = done.wait(seconds: seconds)
        worker.withQueue { $0.isUrgent = false }
    }

    /// Ends the thread when it has done what waits; does not wait for that.
    func close() {
        _ = worker.close(seconds: 0) { queue in
            queue.isUrgent = true
            // There is no post any more that would end it.
            queue.isHeld = false
        }
        hurry.signal()
    }
}

// What the thread does.

extension Publishing {
    /// Sends what waited.
    private func workOff(_ turn: PublishingQueue.Turn, _ work: Work) {
        var version = turn.sent
        let began = SystemTime.steadySeconds()
        pace.withLock { $0.reader.begin(at: began) }
        var (isPublishing, isAnswering) = (false, false)
        var waiting: Commit?
        var newest: Snapshot?
        func publish() {
            guard let commit = waiting else { return }
            waiting = nil
            isPublishing = true
            if let version, commit.before.version > version { work.skipped() }
            (version, newest) = (commit.newest.version, commit.newest)
            work.publish(commit)
        }
        for item in turn.items {
            switch item {
            case .commit(let commit):
                if lags.load(ordering: .relaxed), waiting?.isCovered(by: commit) == true {
                    waiting?.take(in: commit)
                } else {
                    publish()
                    waiting = commit
                }
            case .task(let published, let task):
                publish()
                if let version, published.version > version { work.skipped() }
                // Where commits became one, it may be newer than what was published then.
                let current = newest.map { max($0, published) } ?? published
                version = current.version
                task(current)
                isAnswering = true
            }
        }
        publish()
        if isAnswering { work.answered() }
        finish(since: began, isPublishing)
    }

    /// A turn ends: what there is to publish from now on waits until others had the processor.
    private func finish(since began: Double, _ isPublishing: Bool) {
        let (ended, sent) = (SystemTime.steadySeconds(), sending())
        let version = snapshot.version
        let (isBusy, pause) = pace.withLock { pace in
            pace.reader.saw(version, at: ended)
            // What the turn before led to is sent meanwhile, or was; in the long run it is the
            // same.
            let others = sent - (pace.sendingSeconds ?? sent)
            pace.sendingSeconds = sent
            return (pace.reader.isBusy, pace.reader.pauseSeconds(at: ended, besides: others))
        }
        lags.store(isBusy || ended - began > Self.turnSecondsMax, ordering: .relaxed)
        if isPublishing, let pause { self.pause(pause) }
    }

    /// Pauses where that is due, in the midst of a turn that takes long. The publishing thread
    /// calls it.
    func breathe() {
        let now = SystemTime.steadySeconds()
        guard pace.withLock({ $0.reader.isDue(at: now) }) else { return }
        let version = snapshot.version
        let pause = pace.withLock { pace in
            pace.reader.saw(version, at: now)
            return pace.reader.pauseSeconds(at: now)
        }
        guard let pause else { return }
        self.pause(pause)
        pace.withLock { $0.reader.begin(at: SystemTime.steadySeconds()) }
    }

    /// Lets the Core and the event loop have the processor, unless a thread waits for this one.
    private func pause(_ seconds: Double) {
        guard !worker.withQueue({ $0.isUrgent }) else { return }
        _ = hurry.wait(seconds: seconds)
    }
}

/// The newer of two versions.
private func max(_ a: Snapshot, _ b: Snapshot) -> Snapshot { a.version > b.version ? a : b }
