import HTTPTransport
import Platform
public import StoreCore
import Synchronization
import Wire

/// A server that listens until ``stop()``.
public final class RunningServer: Sendable {
    /// Where it listens, as URLs: `http://127.0.0.1:8080` or `unix:/path`.
    public let addresses: [String]

    private let transport: HTTPServer
    private let journal: JournalCondition
    private let stopSteps: @Sendable () -> StopOutcome
    private let reopen: @Sendable () -> Void
    private let stopped = Locked<StopOutcome?>(nil)

    init(
        transport: HTTPServer,
        journal: JournalCondition,
        reopen: @escaping @Sendable () -> Void,
        stop: @escaping @Sendable () -> StopOutcome
    ) {
        self.transport = transport
        self.journal = journal
        self.addresses = transport.boundAddresses.map(\.url)
        self.reopen = reopen
        stopSteps = stop
    }

    /// Why the journal has failed; `nil` while it works. A server whose journal has failed applies
    /// nothing, and serves what only reads (``StoreServer/onJournalFailure(_:)``).
    public var journalFailure: JournalError? { journal.failure }

    /// Opens the files anew that a log rotation may have moved.
    public func reopenFiles() {
        reopen()
    }

    /// Ends the service: `/readyz` is 503, every stream ends with `bye`, open requests are
    /// finished, the Core ends, analytics are written out. The process goes on.
    ///
    /// Takes at most `shutdownSeconds` of the configuration, whatever a reducer or the disk does. A
    /// second call returns the same outcome and does nothing.
    @discardableResult
    public func stop() -> StopOutcome {
        stopped.withLock { stopped in
            if let stopped { return stopped }
            let outcome = stopSteps()
            stopped = outcome
            return outcome
        }
    }
}
