public import StoreCore
import StoreHTTPTransport
import StorePlatform
import StoreTelemetry
import Synchronization

/// A server that listens until ``stop()``.
public final class RunningServer: Sendable {
    /// The addresses of the listeners, as URLs: `http://127.0.0.1:8080` or `unix:/path`.
    public let addresses: [String]

    /// The addresses of the listeners for operators; empty if operators use the same listeners as
    /// clients.
    public let adminAddresses: [String]

    private let process: ServerProcess
    private let isStopping = Locked(false)
    private let outcome = AwaitedAnswer<StopOutcome>()

    init(_ process: ServerProcess) {
        self.process = process
        addresses = process.transport.boundAddresses.map(\.url)
        adminAddresses = process.transport.boundAdminAddresses.map(\.url)
    }

    /// The reason why the journal has failed; `nil` while it works. A store whose journal has
    /// failed applies nothing, but serves reads (``Server/journalFailureHandler(_:)``).
    ///
    /// If there are several stores, this is about the store at `/`.
    public var journalFailure: JournalError? { process.served.first?.health.journal.failure }

    /// Opens files again that a log rotation may have moved.
    public func reopenFiles() { process.analytics?.reopen() }

    /// Reads the API keys, the issuer's keys and the policies again, and ends the streams that they
    /// no longer allow. Each store applies all of its files, or none if a file is wrong; a line in
    /// the log reports the outcome.
    public func reloadAccess() {
        for store in process.served { store.reloadAccessOrLog(process.logger) }
    }

    /// Applies the settings that may change while the server runs: the level of the log, and the
    /// settings that SIGHUP reads again for ``Server/main()``. Files of analytics are opened
    /// again.
    ///
    /// Each part is applied as a whole or not at all, with a line in the log. A stream ends only if
    /// keys or policies no longer allow it. All other settings are ignored.
    public func reload(_ configuration: ServerConfiguration) {
        process.reload(configuration)
        reloadAccess()
    }

    /// Calls `report` on the event loop's thread at this interval in seconds. Leaves a call out if
    /// the reducers of all stores are stuck.
    func whileItWorks(every seconds: Double, _ report: @escaping @Sendable () -> Void) {
        process.transport.schedule(after: seconds) { [weak self] in
            guard let self else { return }
            if process.served.contains(where: { $0.health.watchdog.problem == nil }) { report() }
            whileItWorks(every: seconds, report)
        }
    }

    /// Ends the service of all stores. First `/readyz` answers with 503, and every stream ends with
    /// `bye`. Then open requests are finished, the Cores end, and analytics are written. The
    /// process continues.
    ///
    /// The stop takes at most `shutdownTimeout` of the configuration, or 3.5 s if that is more,
    /// even if a reducer or the disk hangs. A second call waits for the first, and returns the same
    /// outcome.
    @discardableResult
    public func stop() -> StopOutcome {
        let isFirst = isStopping.withLock { isStopping in
            defer { isStopping = true }
            return !isStopping
        }
        if isFirst { outcome.give(process.stop()) }
        return outcome.wait()
    }
}

/// The outcome of a stop.
public enum StopOutcome: Sendable, Equatable {
    /// Every client was served to the end.
    case clean
    /// Some clients had not read all their data when the time was over; their connections were cut.
    case clientsCutOff
    /// A part of the server was not finished when the time was over: a reducer that loops, or a
    /// disk that hangs. The value is the name of the part.
    ///
    /// The part continues in a thread that is left behind, with the journal open, so the process
    /// should end. Acknowledged actions are in the journal.
    case unfinished(String)
}
