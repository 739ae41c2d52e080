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

    /// The error with which the journal has failed; `nil` while the journal works. A store whose
    /// journal has failed applies no actions, but serves reads
    /// (``Server/journalFailureHandler(_:)``).
    ///
    /// If there are several stores, this property is about the store at `/`.
    public var journalFailure: JournalError? {
        process.servedStores.first?.health.journalCondition.failure
    }

    /// Reopens the file of analytics, which a log rotation may have moved.
    public func reopenFiles() { process.analytics?.reopen() }

    /// Reads the API keys, the issuer's keys and the policies again, and ends the streams that keys
    /// and policies no longer allow. Each store applies all of these files, or no file if one of
    /// them is wrong. A line in the log reports the outcome.
    public func reloadAccess() {
        for store in process.servedStores { store.reloadAccess(logging: process.logger) }
    }

    /// Applies the settings that may change while the server runs, and reopens the file of
    /// analytics. These settings are the level of the log, the ratio and the headers of traces, and
    /// the files about access.
    ///
    /// Each of these settings is applied as a whole or not at all, with a line in the log. A stream
    /// ends only if keys or policies no longer allow the stream. All other settings are ignored.
    public func reload(_ configuration: ServerConfiguration) {
        process.reload(configuration)
        reloadAccess()
    }

    /// Calls `report` every `seconds` on the event loop's thread. Omits the call while the reducers
    /// of all stores are stuck.
    func repeatWhileHealthy(every seconds: Double, _ report: @escaping @Sendable () -> Void) {
        process.transport.schedule(after: seconds) { [weak self] in
            guard let self else { return }
            if process.servedStores.contains(where: { $0.health.watchdog.problem == nil }) {
                report()
            }
            repeatWhileHealthy(every: seconds, report)
        }
    }

    /// Stops all stores. First `/readyz` answers with 503, and every stream ends with `bye`. Then
    /// the server answers the open requests, ends the Cores, and writes analytics. The process
    /// continues.
    ///
    /// The stop takes at most the configuration's `shutdownTimeout`, but up to 3.5 s if the timeout
    /// is shorter. This holds even if a reducer or the disk hangs. A second call waits for the
    /// first call, and returns the same outcome.
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
    /// Every client got all its data.
    case clean
    /// The server closed the connections of some clients that had not read all their data in time.
    case clientsCutOff
    /// A step of the stop was not finished in time, because a reducer loops or a disk hangs. The
    /// value is the name of the step.
    ///
    /// The step continues in a thread, and the journal is still open, so the process should end.
    /// The journal has all acknowledged actions.
    case unfinished(String)
}
