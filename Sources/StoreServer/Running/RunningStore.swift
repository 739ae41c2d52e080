import StoreAuthentication
import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StoreHistory
import StoreMetrics
import StorePlatform
import StorePublishing
import StoreTelemetry
import Synchronization

/// A running store, without the type of its state.
protocol RunningStore: Sendable {
    /// The value that the routes of the store share.
    var store: Store { get }
    var router: Router { get }
    var figures: StoreFigures { get }
    var health: StoreHealth { get }
    /// The object that checks credentials; `nil` if every client may use all routes.
    var authenticator: Authenticator? { get }

    /// Reads keys and policy again, and ends the streams that keys and policy no longer allow. If a
    /// file is wrong, throws an error and changes nothing.
    func reloadAccess() throws

    /// Ends the streams and waiting requests that the policy does not allow, or whose credentials
    /// have ended.
    func endForbiddenStreams()

    /// Refuses new requests, and answers the waiting requests.
    func drain()

    /// Sends the committed versions to the streams, and ends the streams. Returns true if every
    /// client took all its versions in time.
    func endStreams(by deadline: Deadline) -> Bool

    /// Closes the log, applies the accepted actions and closes the journal. Returns the name of the
    /// step that was not finished at the deadline; `nil` if all steps were finished.
    func close(by deadline: Deadline) -> String?
}

extension RunningStore {
    /// Reads keys and policy again, and logs the outcome.
    func reloadAccess(logging logger: Logger) {
        let name = store.links.storeName.map { " of the store '\($0)'" } ?? ""
        do {
            try reloadAccess()
            logger.info(.configurationReloaded, "keys and policy\(name) are read again")
        } catch {
            logger.error(
                .configurationRefused,
                "keys and policy\(name) stay as they were: \(error)"
            )
        }
    }

    /// Begins to end sessions that have been idle for the configured time.
    func watchIdleSessions() {
        guard store.hasOwnSessions, let sessions = store.sessions else { return }
        // The first call, too, has to run on the loop's thread.
        store.schedule(after: 0) { [store] in IdleSessions.watch(store, sessions) }
    }

    /// The status that `GET /stores` and `GET /readyz` show for this store. A store whose reducer
    /// does not end is not ready.
    var status: StoreStatus {
        StoreStatus(at: store.links) {
            health.notReadyReason(isDraining: store.isDraining()) ?? health.watchdog.notReadyReason
        }
    }
}

// The end

extension StoreAssembly: RunningStore {
    var authenticator: Authenticator? { access?.authenticator }

    func reloadAccess() throws {
        guard let access else { return }
        try access.reload()
        endForbiddenStreams()
    }

    func endForbiddenStreams() {
        guard access != nil else { return }
        store.streamWriter.endForbiddenStreams()
        store.reader.endForbiddenWaits()
        store.outcomes.giveUpForbiddenWaits()
    }

    func drain() {
        router.drain()
        store.drain()
        store.engine.effects?.stop()
        longPolls.expireAll()
        store.wakeLoop()
    }

    func endStreams(by deadline: Deadline) -> Bool {
        // Sends the committed versions before the `bye` events.
        stateStreams.flush(seconds: deadline.secondsLeft / 4)
        return store.streamWriter.stop(reason: .shutdown, seconds: deadline.secondsLeft / 2)
    }

    func close(by deadline: Deadline) -> String? {
        log.close(seconds: max(0.5, deadline.secondsLeft))
        defer { stateStreams.close() }
        let steps: [(name: String, work: @Sendable () -> Void)] = [
            ("the accepted actions", core.stop),
            (
                "the files of shared values",
                { [sharedFileWriters] in
                    for file in sharedFileWriters {
                        file.close(seconds: max(0.5, deadline.secondsLeft))
                    }
                }
            ),
            ("the snapshot for the next start", keeper.stop),
            ("closing the journal", journal.close),
        ]
        return runStopSteps(steps, seconds: max(0.5, deadline.secondsLeft))
    }

    /// Runs the steps of a stop one after the other, on a thread of their own. A step that waits
    /// for a reducer or a disk may last for ever. Waits at most `seconds`, and returns the name of
    /// the step that has not ended; `nil` if all steps have ended.
    private func runStopSteps(
        _ steps: [(name: String, work: @Sendable () -> Void)],
        seconds: Double
    ) -> String? {
        let current = Locked(steps.first?.name ?? "")
        let ended = Latch()
        SystemThread.start(name: "stop") {
            for step in steps {
                current.withLock { $0 = step.name }
                step.work()
            }
            ended.open()
        }
        return ended.wait(seconds: seconds) ? nil : current.withLock { $0 }
    }
}
