import StoreHTTP
import StoreHTTPTransport
import StorePlatform
import StoreTelemetry

/// A store that is served, with a state of any type.
protocol ServedStore: Sendable {
    /// The store as its routes share it.
    var store: Store { get }
    var router: Router { get }
    var supervision: StoreHealth { get }

    /// Reads keys and policy again, and ends the streams that they no longer allow.
    ///
    /// - Throws: an error if a file is wrong; then nothing has changed.
    func reloadAccess() throws

    /// Ends streams and waiting requests whose credentials have ended, or that the policy does not
    /// allow.
    func endForbidden()

    /// Stops accepting requests, and answers the requests that wait.
    func drain()

    /// Sends the committed versions to the streams, and ends them. Returns true if every reader
    /// took all of them in time.
    func endStreams(by deadline: Deadline) -> Bool

    /// Ends the readers of the log, applies the accepted actions and closes the journal. Returns
    /// the name of the step that was not finished when the time was over.
    func finish(by deadline: Deadline) -> String?
}

extension ServedStore {
    /// The reason why the store is not ready; `nil` while it is.
    var notReady: NotReady? {
        if store.isDraining() { return .draining }
        return supervision.journal.failure.map { _ in .journalFailed }
    }

    /// Reads keys and policy again, with a line in the log.
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
        // The first call, too, has to run on the loop's thread.
        store.schedule(after: 0) { [store] in IdleSessions.watch(store, sessions) }
    }

    /// The status that the process shows. A store whose reducer does not end is not ready, either.
    var status: StoreStatus {
        StoreStatus(at: store.links) { notReady ?? supervision.watchdog.notReady }
    }
}
