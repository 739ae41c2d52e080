import StoreHTTP
import StoreHTTPTransport
import StorePlatform
import StoreTelemetry
import StoreWire

/// A store that is served, whatever its state is.
protocol ServedStore: Sendable {
    /// What the routes share.
    var store: Store { get }
    var router: Router { get }
    var supervision: Supervision { get }

    /// Reads again who may do what, and ends the streams that are no longer allowed.
    ///
    /// - Throws: where a file is wrong; then nothing has changed.
    func reloadAccess() throws

    /// Ends the streams and the waiting of requests whose credentials have ended, or that the
    /// policy does not allow.
    func endForbidden()

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
    var notReady: NotReady? {
        if store.isDraining() { return .draining }
        return supervision.journal.failure.map { _ in .journalFailed }
    }

    /// Reads again who may do what, with a line in the log.
    func reloadAccessOrLog(_ logger: Logger) {
        let name = store.links.store.map { " of the store '\($0)'" } ?? ""
        do {
            try reloadAccess()
            logger.notice(.configurationReloaded, "keys and policy\(name) are read again")
        } catch {
            logger.error(
                .configurationRefused,
                "keys and policy\(name) stay as they were: \(error)"
            )
        }
    }

    /// Ends sessions that have been idle for long enough, from now on.
    func watchSessions() {
        guard let sessions = store.sessions else { return }
        // On the loop's thread from the first look on.
        store.schedule(after: 0) { [store] in IdleSessions.watch(store, sessions) }
    }

    /// The store as its process shows it: one whose reducer does not end takes no requests, either.
    var status: StoreStatus {
        StoreStatus(at: store.links) { notReady ?? supervision.watchdog.notReady }
    }
}
