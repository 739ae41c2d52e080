import HTTPTransport
import Platform
import StoreCore
import Synchronization
import Wire

/// A server that listens, until it is told to stop.
public final class RunningServer: Sendable {
    /// Where it listens, as URLs: `http://127.0.0.1:8080` or `unix:/path`.
    public let addresses: [String]

    private let transport: HTTPServer
    private let stopSteps: @Sendable () -> StopOutcome
    private let reopen: @Sendable () -> Void
    private let stopped = Locked<StopOutcome?>(nil)

    init(
        transport: HTTPServer,
        reopen: @escaping @Sendable () -> Void,
        stop: @escaping @Sendable () -> StopOutcome
    ) {
        self.transport = transport
        self.addresses = transport.boundAddresses.map(\.url)
        self.reopen = reopen
        stopSteps = stop
    }

    /// Opens the files anew that a log rotation may have moved.
    public func reopenFiles() {
        reopen()
    }

    /// Ends the service: says not ready, says `bye` to every stream, finishes the requests that are
    /// open, lets the Core end, writes analytics out.
    ///
    /// Takes at most `shutdownSeconds` of the configuration, whatever a reducer or the disk does. A
    /// second call answers the same without doing anything.
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
