import Dispatch
import EventStream
import Platform
import StoreCore
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
final class Publishing<State: Sendable>: Sendable {
    /// A turn that takes longer makes the next one leave out all versions but the newest.
    static var turnSecondsMax: Double { 0.005 }

    /// What is done with commits and requests, on the thread.
    struct Work: Sendable {
        /// Versions are to be published, in order.
        let publish: @Sendable (Commit<State>) -> Void
        /// All that was asked for in a turn is done.
        let answered: @Sendable () -> Void
        /// Versions were published that the thread did not get, because no stream was read.
        let skipped: @Sendable () -> Void
    }

    let newest: NewestSnapshot
    let queue: Locked<PublishingQueue<State>>
    /// Whose threads publish; a thread of its own where it is `nil`.
    let pool: ThreadPool?
    /// Whether a commit has to be handed over.
    private let isRead: @Sendable () -> Bool
    /// How many seconds the stream writer has worked so far.
    let sending: @Sendable () -> Double
    private let wake = DispatchSemaphore(value: 0)
    private let hurry = TimedSemaphore()
    let lags = Atomic(false)
    private let pace = Locked(ReaderPace())

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
        queue = Locked(PublishingQueue(published: first))
        self.pool = pool
        self.isRead = isRead
        self.sending = sending
    }

    /// The newest published version. Any thread.
    var snapshot: Snapshot { newest.value }

    /// Whether each version is worth a frame of its own: the thread is not behind. Any thread.
    var keepsUp: Bool { !lags.load(ordering: .relaxed) }

    /// Publishes what is durable: from now on readers may see it. What they are sent is made only
    /// where there are any. The Core's thread; never waits for readers.
    func commit(_ newest: Snapshot, _ work: Work, _ commit: () -> Commit<State>) {
        add(work) { queue in
            queue.published = newest
            // Before the readers are counted: one that comes from now on and is not counted finds
            // this one.
            self.newest.swap(for: newest)
            guard isRead(), !queue.isClosed else { return }
            queue.add(commit(), joining: lags.load(ordering: .relaxed))
            if !queue.keepsUp { lags.store(true, ordering: .relaxed) }
        }
    }

    /// Does something at its place between the commits, with the newest version that was published
    /// to readers by then. Any thread. After the end, nothing is done.
    func perform(_ work: Work, _ task: @escaping @Sendable (Snapshot) -> Void) {
        add(work) { queue in
            if !queue.isClosed { queue.items.append(.task(queue.published, task)) }
        }
    }

    /// The same at once, on the caller's thread, which stands in for the other one; where that has
    /// nothing to do, and the task costs little, given the newest version. Returns whether it was
    /// done.
    func performNow(
        _ work: Work,
        where isQuick: (Snapshot) -> Bool,
        _ task: (Snapshot) -> Void
    ) -> Bool {
        guard isQuick(snapshot) else { return false }
        let current = queue.withLock { queue -> (published: Snapshot, sent: UInt64?)? in
            guard !queue.isAwake, queue.items.isEmpty, !queue.isClosed else { return nil }
            queue.isAwake = true
            return (queue.published, queue.sent)
        }
        guard let current else { return false }
        if let sent = current.sent, current.published.version > sent { work.skipped() }
        task(current.published)
        add(work) { queue in
            queue.sent = current.published.version
            queue.isAwake = false
        }
        return true
    }

    /// Waits until all that was committed before is with the stream writer, or the time is over.
    func flush(_ work: Work, seconds: Double) {
        let done = TimedSemaphore()
        add(work) { queue in
            guard queue.isRunning, !queue.isClosed else { return done.signal() }
            queue.isUrgent = true
            queue.items.append(.task(queue.published, { _ in done.signal() }))
        }
        hurry.signal()
        _ = done.wait(seconds: seconds)
        queue.withLock { $0.isUrgent = false }
    }

    /// Ends the thread when it has done what waits.
    func close() {
        let wakes = queue.withLock { queue in
            queue.isClosed = true
            queue.isUrgent = true
            return queue.isRunning
        }
        guard wakes else { return }
        hurry.signal()
        wake.signal()
    }

    private func add(_ work: Work, _ change: (inout PublishingQueue<State>) -> Void) {
        let (starts, wakes) = queue.withLock { queue -> (Bool, Bool) in
            change(&queue)
            guard !queue.items.isEmpty, !queue.isAwake else { return (false, false) }
            queue.isAwake = true
            defer { queue.isRunning = true }
            if pool != nil { queue.turns.work = work }
            return (!queue.isRunning, queue.isRunning)
        }
        if let pool {
            if starts || wakes { submitTurn(to: pool) }
            return
        }
        if starts { ReaderThread.start(name: "publishing") { [self] in run(work) } }
        if wakes { wake.signal() }
    }
}

extension Publishing {
    private func run(_ work: Work) {
        var before = sending()
        while let (items, sent) = next() { workOff(items, after: sent, work, &before) }
    }

    /// One turn, after readers were sent the version `sent`. The stream writer had worked for
    /// `before` seconds by the end of the last turn.
    func workOff(
        _ items: [PublishingQueue<State>.Item],
        after sent: UInt64?,
        _ work: Work,
        _ before: inout Double
    ) {
        var version = sent
        let began = SystemTime.steadySeconds()
        pace.withLock { $0.begin(at: began) }
        var (isPublishing, isAnswering) = (false, false)
        var waiting: Commit<State>?
        var newest: Snapshot?
        func publish() {
            guard let commit = waiting else { return }
            waiting = nil
            isPublishing = true
            if let version, commit.before.version > version { work.skipped() }
            (version, newest) = (commit.newest.version, commit.newest)
            work.publish(commit)
        }
        for item in items {
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
        queue.withLock { $0.sent = version }
        if isAnswering { work.answered() }
        finish(since: began, isPublishing, &before)
    }

    /// A turn ends: what there is to publish from now on waits until others had the processor.
    private func finish(since began: Double, _ isPublishing: Bool, _ before: inout Double) {
        let (ended, after) = (SystemTime.steadySeconds(), sending())
        let version = snapshot.version
        let (isBusy, pause) = pace.withLock { pace in
            pace.saw(version, at: ended)
            // What the turn before led to is sent meanwhile, or was; in the long run it is the
            // same.
            return (pace.isBusy, pace.pauseSeconds(at: ended, besides: after - before))
        }
        before = after
        lags.store(isBusy || ended - began > Self.turnSecondsMax, ordering: .relaxed)
        if isPublishing, let pause { self.pause(pause) }
    }

    /// Pauses where that is due, in the midst of a turn that takes long. The publishing thread
    /// calls it.
    func breathe() {
        let now = SystemTime.steadySeconds()
        guard pace.withLock({ $0.isDue(at: now) }) else { return }
        let version = snapshot.version
        let pause = pace.withLock { pace in
            pace.saw(version, at: now)
            return pace.pauseSeconds(at: now)
        }
        guard let pause else { return }
        self.pause(pause)
        pace.withLock { $0.begin(at: SystemTime.steadySeconds()) }
    }

    /// Waits for items and takes them, with the newest version that readers were sent; `nil` when
    /// there are none and none come any more.
    private func next() -> (items: [PublishingQueue<State>.Item], sent: UInt64?)? {
        while true {
            let (items, sent, isOver) = queue.withLock { queue in
                let items = queue.take()
                queue.isAwake = !items.isEmpty
                return (items, queue.sent, items.isEmpty && queue.isClosed)
            }
            if !items.isEmpty { return (items, sent) }
            if isOver { return nil }
            lags.store(false, ordering: .relaxed)
            wake.wait()
        }
    }

    /// Lets the Core and the event loop have the processor, unless a thread waits for this one.
    private func pause(_ seconds: Double) {
        guard !queue.withLock({ $0.isUrgent }) else { return }
        _ = hurry.wait(seconds: seconds)
    }
}

/// The newer of two versions.
private func max(_ a: Snapshot, _ b: Snapshot) -> Snapshot { a.version > b.version ? a : b }
