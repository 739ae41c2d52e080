import EventStream
import HTTPTransport
import Platform
import StatePublishing
import StoreCore
import StoreHTTP
import StoreHistory
import Wire

/// A store that is served, whatever its state is.
protocol ServedStore: Sendable {
    /// What the routes share.
    var store: Store { get }
    var router: Router { get }
    var journal: JournalCondition { get }
    var watchdog: Watchdog { get }
    var times: ServerTimes { get }

    /// Takes nothing new, and ends the waiting of requests.
    func drain()

    /// Has the streams of what was committed sent, and ends them. Answers whether every reader took
    /// it all in time.
    func endStreams(by deadline: Deadline) -> Bool

    /// Ends what reads the log, applies what was taken and ends the journal. Answers what had not
    /// come to its end when the time was over.
    func finish(by deadline: Deadline) -> String?
}

extension ServedStore {
    /// Why the store takes no requests; `nil` while it does.
    var readinessProblem: Problem? {
        if store.isDraining() { return .draining() }
        return journal.failure.map { _ in .journalFailed() }
    }

    /// Ends sessions that have been idle for long enough, from now on.
    func watchSessions() {
        guard let sessions = store.sessions else { return }
        // On the loop's thread from the first look on.
        store.schedule(after: 0) { [store] in IdleSessions.watch(store, sessions) }
    }

    /// The store as its process shows it: one whose reducer does not end takes no requests, either.
    var status: StoreStatus {
        StoreStatus(at: store.links) { readinessProblem ?? watchdog.problem }
    }
}

extension StoreServer.Parts: ServedStore {
    func drain() {
        router.drain()
        store.drain()
        store.core.effects?.stop()
        waiters.expireAll()
        store.wake()
    }

    func endStreams(by deadline: Deadline) -> Bool {
        // What was committed before goes before the streams' last words.
        publisher.flush(seconds: deadline.left / 4)
        return store.streams.stop(reason: .shutdown, seconds: deadline.left / 2)
    }

    func finish(by deadline: Deadline) -> String? {
        log.close(seconds: max(0.5, deadline.left))
        defer { publisher.close() }
        return StopSteps([
            ("the actions that were taken", core.stop),
            ("the snapshot for the next start", keeper.stop),
            ("the journal's end", closeJournal),
        ]).run(seconds: max(0.5, deadline.left))
    }
}
