import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StorePlatform
import StoreTelemetry
import Synchronization

/// A server on its way from listening to ready, which may be stopped at any point of it.
final class ServerStart: Sendable {
    /// How long a stop waits until the clients of queued requests have taken their answer.
    static let stopSecondsMax = 1.0

    private enum Status: Sendable {
        case underWay
        case ready(RunningServer)
        case ended
    }

    let configuration: ServerConfiguration
    let logger: Logger
    /// Ends the process when the journal fails; `nil` where that is left to others.
    let journalFailed: (@Sendable (JournalError) -> Void)?
    let transport: HTTPServer
    let preparation = DependencyPreparation()
    /// Names the requests, from the first on.
    let requestIDs = RequestIDs()
    /// Where traces go; `nil` where none are exported.
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

    /// The start has come to this phase, as `/readyz` shows.
    func enter(_ phase: NotReady.Code) { gate.enter(phase) }

    /// Has `handler` handle all requests, also those that were queued. Returns `false` where
    /// the server was stopped meanwhile.
    func end(with server: RunningServer, _ handler: any HTTPHandler) -> Bool {
        status.withLock { status in
            guard case .underWay = status else { return false }
            status = .ready(server)
            // Within the lock, so that a stop comes before this or after it.
            transport.hand(to: handler, done: gate.open)
            return true
        }
    }

    /// Stops the server, or its start. The latter waits for no preparation and no journal.
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

    /// Puts into force what may change while a server runs. Before it is ready that is what its
    /// start has not read yet, so there is nothing to do.
    func reload(_ configuration: ServerConfiguration) {
        running?.reload(configuration)
    }

    /// Calls `report` every so many seconds while the server works.
    func whileItWorks(every seconds: Double, _ report: @escaping @Sendable () -> Void) {
        running?.whileItWorks(every: seconds, report)
    }

    private var running: RunningServer? {
        status.withLock { status in
            if case .ready(let server) = status { server } else { nil }
        }
    }

    /// Whether the server never came to be ready.
    var isEnded: Bool {
        status.withLock { status in
            if case .ended = status { true } else { false }
        }
    }
}
