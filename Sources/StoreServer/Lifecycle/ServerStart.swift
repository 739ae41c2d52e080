import StoreAdmission
import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StorePlatform
import StoreTelemetry
import Synchronization

/// A server between listening and ready, which may be stopped at any point.
final class ServerStart: Sendable {
    /// The maximum time that a stop waits for the clients of queued requests to take their answers,
    /// in seconds.
    static let stopSecondsMax = 1.0

    private enum Status: Sendable {
        case underWay
        case ready(RunningServer)
        case ended
    }

    let configuration: ServerConfiguration
    let logger: Logger
    /// Ends the process when the journal fails; `nil` if the process continues then.
    let journalFailed: (@Sendable (JournalError) -> Void)?
    let transport: HTTPServer
    let preparation = DependencyPreparation()
    /// Names the requests, from the first on.
    let requestIDs = RequestIDs()
    /// The export of traces; `nil` if none are exported.
    let traces: TraceExporting?
    private let gate: StartGate
    private let status = Locked(Status.underWay)

    /// Listens; from then on requests wait.
    init(
        _ configuration: ServerConfiguration,
        _ logger: Logger,
        traces: TraceExporting? = nil,
        journalFailed: (@Sendable (JournalError) -> Void)?
    ) throws(TransportError) {
        self.configuration = configuration
        self.traces = traces
        self.logger = logger
        self.journalFailed = journalFailed
        gate = StartGate(
            configuration.hostRule,
            ids: requestIDs,
            separatesOperators: configuration.separatesOperators,
            needsCredentials: configuration.policyFile != nil
        )
        transport = try HTTPServer(
            configuration: configuration.transport,
            handler: gate,
            accessLog: configuration.accessLog
                ? AccessLines(logger, forgetsClients: configuration.forgetClients) : nil,
            tracing: traces?.requests(forgetsClients: configuration.forgetClients),
            startThread: { SystemThread.start(name: $0, $1) },
            log: logger.warnings(.httpNoted)
        )
        gate.attach(transport)
        try transport.start()
        traces?.start()
    }

    /// Enters a phase of the start, which `/readyz` shows.
    func enter(_ phase: NotReady.Code) { gate.enter(phase) }

    /// Passes all requests to `handler` from now on, also the queued ones. Returns false if the
    /// server was stopped meanwhile.
    func end(with server: RunningServer, _ handler: any HTTPHandler) -> Bool {
        status.withLock { status in
            guard case .underWay = status else { return false }
            status = .ready(server)
            // The lock is held, so that a stop runs before this call or after it.
            transport.hand(to: handler, done: gate.open)
            return true
        }
    }

    /// Stops the server, or its start. The stop of a start waits for no preparation and no journal.
    func stop() -> StopOutcome {
        let server = status.withLock { status -> RunningServer? in
            if case .ready(let server) = status { return server }
            status = .ended
            return nil
        }
        if let server { return server.stop() }
        preparation.cancel()
        gate.close()
        defer { traces?.close(seconds: Self.stopSecondsMax) }
        return transport.stop(seconds: Self.stopSecondsMax) ? .clean : .clientsCutOff
    }

    /// Applies the settings that may change while a server runs. Before the server is ready, this
    /// does nothing.
    func reload(_ configuration: ServerConfiguration) {
        running?.reload(configuration)
    }

    /// Calls `report` at this interval in seconds while the server works.
    func whileItWorks(every seconds: Double, _ report: @escaping @Sendable () -> Void) {
        running?.whileItWorks(every: seconds, report)
    }

    private var running: RunningServer? {
        status.withLock { status in
            if case .ready(let server) = status { server } else { nil }
        }
    }

    /// True if the server was stopped before it was ready.
    var isEnded: Bool {
        status.withLock { status in
            if case .ended = status { true } else { false }
        }
    }
}
