public import StoreCore
import StoreHTTPTransport
import StorePlatform
import StoreTelemetry
import StoreWire
import Synchronization

/// A server that listens until ``stop()``.
public final class RunningServer: Sendable {
    /// Where it listens, as URLs: `http://127.0.0.1:8080` or `unix:/path`.
    public let addresses: [String]

    /// Where operators come in, apart from clients; empty where they come in with them.
    public let adminAddresses: [String]

    private let process: ServerProcess
    private let stopped = Locked<StopOutcome?>(nil)

    init(_ process: ServerProcess) {
        self.process = process
        addresses = process.transport.boundAddresses.map(\.url)
        adminAddresses = process.transport.boundAdminAddresses.map(\.url)
    }

    /// Why the journal has failed; `nil` while it works. A store whose journal has failed applies
    /// nothing, and serves what only reads (``StoreServer/onJournalFailure(_:)``).
    ///
    /// Of several stores, this is the one at `/`.
    public var journalFailure: JournalError? { process.served.first?.supervision.journal.failure }

    /// Opens the files anew that a log rotation may have moved.
    public func reopenFiles() {
        process.analytics?.reopen()
    }

    /// Reads keys, issuer's keys and policies again, and ends the streams that they no longer
    /// allow. Of each store all of them are taken, or none where one is wrong; a line in the log
    /// says which.
    public func reloadAccess() {
        for store in process.served { store.reloadAccessOrLog(process.logger) }
    }

    /// Puts into force what may change while the server runs: the level of the log, and what
    /// SIGHUP reads again for ``StoreServer/main()``. Files of analytics are opened anew. Each part
    /// as a whole or not at all, with a line in the log; no stream ends for it. The rest of the
    /// configuration is not looked at.
    public func reload(_ configuration: ServerConfiguration) {
        process.reload(configuration)
        reloadAccess()
    }

    /// Calls `report` on the event loop's thread every so many seconds, while the reducer of at
    /// least one store is not stuck.
    func whileItWorks(every seconds: Double, _ report: @escaping @Sendable () -> Void) {
        process.transport.schedule(after: seconds) { [weak self] in
            guard let self else { return }
            if process.served.contains(where: { $0.supervision.watchdog.problem == nil }) {
                report()
            }
            whileItWorks(every: seconds, report)
        }
    }

    /// Ends the service of all stores: `/readyz` is 503, every stream ends with `bye`, open
    /// requests are finished, the Cores end, analytics are written out. The process goes on.
    ///
    /// Takes at most `shutdownSeconds` of the configuration, whatever a reducer or the disk does. A
    /// second call returns the same outcome and does nothing.
    @discardableResult
    public func stop() -> StopOutcome {
        stopped.withLock { stopped in
            if let stopped { return stopped }
            let outcome = process.stop()
            stopped = outcome
            return outcome
        }
    }
}
