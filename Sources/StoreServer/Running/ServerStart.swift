import StoreActionCatalog
import StoreAdmission
import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StorePlatform
import StoreTelemetry
import Synchronization

/// The start of a server, from the first listener until the server is ready. The start may be
/// stopped at any time.
final class ServerStart: Sendable {
    /// The maximum time, in seconds, for clients to read the answers to queued requests when a
    /// start is stopped.
    static let stopSecondsMax = 1.0

    private enum Status: Sendable {
        case underWay
        case ready(RunningServer)
        case cancelled
    }

    private let stores: [(links: Links, server: any AnyServer)]
    private let configuration: ServerConfiguration
    private let logger: Logger
    /// The function that ends the process when the journal fails; `nil` if the process continues
    /// after such a failure.
    private let onJournalFailure: (@Sendable (JournalError) -> Void)?
    private let transport: HTTPServer
    private let preparation = DependencyPreparation()
    private let requestIDs = RequestIDs()
    private let traceExport: TraceExport?
    private let gate: StartGate
    private let status = Locked(Status.underWay)
    /// The latch that opens when the router of the ready server gets all requests.
    private let handOverLatch = Latch()

    /// Starts the listeners; requests wait until the server is ready. `onJournalFailure` ends the
    /// process after a failure of the journal, if the process has one store and the program has no
    /// handler for such failures. Throws if the configuration, a store or the list of actions can't
    /// be used, or if the server can't listen.
    init<State>(
        _ server: Server<State>,
        _ configuration: ServerConfiguration,
        _ logger: Logger,
        onJournalFailure: (@Sendable (JournalError) -> Void)? = nil
    ) throws {
        try server.check(configuration)
        for warning in FilePermissionCheck(configuration).warnings {
            logger.warning(.configurationExposed, warning)
        }
        stores = server.stores
        self.configuration = try configuration.fitted(
            toDescriptors: DescriptorBudget.openFilesLimit,
            storesCount: stores.count,
            logger
        )
        self.logger = logger
        self.onJournalFailure =
            stores.count == 1 && server.journalFailureHandler == nil ? onJournalFailure : nil
        traceExport = try TraceExport(
            configuration,
            program: server.programName,
            version: server.programVersion,
            logger
        )
        gate = StartGate(
            configuration.hostRule,
            ids: requestIDs,
            hasOperatorListeners: configuration.hasOperatorListeners,
            needsCredentials: configuration.access.policyFile != nil
        )
        transport = try HTTPServer(
            configuration: self.configuration.transport,
            handler: gate,
            accessLog: configuration.log.logsRequests
                ? AccessLines(logger, forgetsClients: configuration.history.forgetClients) : nil,
            tracing: traceExport?.requestTracing(
                forgetsClients: configuration.history.forgetClients
            ),
            startThread: { SystemThread.start(name: $0, $1) },
            log: logger.warningWriter(.httpNoted)
        )
        gate.attach(transport)
        try transport.start()
        traceExport?.start()
    }

    /// Runs the phases of the start for one store after the other: the dependencies, the state, the
    /// interceptors and reactions. Returns the ready server. Throws `CancellationError` if the
    /// start was stopped meanwhile.
    func becomeReady() throws -> RunningServer {
        let process = try ServerProcess(
            configuration,
            on: transport,
            logger,
            requestIDs,
            traces: traceExport,
            storesCount: stores.count,
            policyVocabularies: configuration.access.policyFile == nil
                ? [] : stores.map { try $0.server.policyVocabulary() }
        )
        process.startWatchdog()
        do {
            for (links, server) in stores { try addStore(server, at: links, in: process) }
        } catch {
            process.abandonStart(seconds: Self.stopSecondsMax)
            throw error
        }
        let server = RunningServer(process)
        guard handOver(to: server, process.handler) else {
            server.stop()
            throw CancellationError()
        }
        for address in server.adminAddresses {
            logger.info(.serverListening, "operators connect at \(address)")
        }
        for store in process.servedStores { store.watchIdleSessions() }
        return server
    }

    /// Starts a store. If a store other than the store at `/` can't start, the process continues
    /// without this store. But a `ConfigurationError` or a `CancellationError` ends the whole
    /// start.
    private func addStore(_ server: any AnyServer, at links: Links, in process: ServerProcess)
        throws
    {
        guard let name = links.storeName else {
            return process.add(try server.serve(at: links, in: process, self))
        }
        if !configuration.history.ephemeral, !server.hasCustomJournal, !server.isEphemeral {
            StoreFolders.make(in: configuration.history.directory)
        }
        do {
            process.add(try server.serve(at: links, in: process, self))
        } catch let error where error is ConfigurationError || error is CancellationError {
            throw error
        } catch {
            // The text of the error may have a second line, with the remedy.
            let logger = logger.naming(name)
            for line in "the store could not be started: \(error)".split(separator: "\n") {
                logger.error(.storeUnavailable, String(line))
            }
            process.add(unavailable: links, because: error)
        }
    }

    /// Runs the phases of the start for one store. Returns the running store.
    func startStore<State>(
        _ server: Server<State>,
        at links: Links,
        in process: ServerProcess
    ) throws -> StoreAssembly<State> {
        let logger = links.storeName.map(logger.naming) ?? logger
        let configuration = server.storeConfiguration(configuration, at: links)
        let world = try prepare(server, logger)
        gate.enter(.replaying)
        let store = try StoreAssembly(
            StoreContext(
                server,
                configuration,
                at: links,
                in: process,
                world,
                whenJournalFails: onJournalFailure.map { .atOnce($0) }
                    ?? server.journalFailureHandler.map { .later($0) }
            )
        )
        gate.enter(.starting)
        try store.start()
        store.warnOfExposure()
        return store
    }

    /// Makes the world of a store, with the dependencies that the program prepares.
    private func prepare<State>(_ server: Server<State>, _ logger: Logger) throws -> World {
        if !server.preparations.isEmpty {
            gate.enter(.preparing)
            let addresses = transport.boundAddresses.map(\.url).joined(separator: ", ")
            logger.info(.serverPreparing, "preparing; requests to \(addresses) wait meanwhile")
        }
        var dependencies = server.dependencies.logging(to: logger.forEffects)
        for own in server.ownOptions { own.install(configuration, &dependencies) }
        var world = World(dependencies, configuration.clock)
        world.logger = logger
        world.dependencies = try preparation.run(server.preparations, on: world.dependencies)
        return world
    }

    /// Passes the queued requests and all later requests to `handler`. Returns false if the start
    /// was stopped meanwhile.
    private func handOver(to server: RunningServer, _ handler: any HTTPHandler) -> Bool {
        let isUnderWay = status.withLock { status in
            guard case .underWay = status else { return false }
            status = .ready(server)
            return true
        }
        guard isUnderWay else { return false }
        transport.replaceHandler(with: handler, done: gate.open)
        handOverLatch.open()
        return true
    }

    /// The ready server; `nil` while the start is under way, or if the start was stopped.
    var runningServer: RunningServer? {
        status.withLock { if case .ready(let server) = $0 { server } else { nil } }
    }

    /// True if the start was stopped before the server was ready.
    var isCancelled: Bool {
        status.withLock { if case .cancelled = $0 { true } else { false } }
    }

    /// Stops the server, or its start. The stop of a start does not wait for preparations or for
    /// the journal.
    func stop() -> StopOutcome {
        let server = status.withLock { status -> RunningServer? in
            if case .ready(let server) = status { return server }
            status = .cancelled
            return nil
        }
        if let server {
            // Wait until the router of the ready server has the queued requests. The router then
            // answers these requests.
            _ = handOverLatch.wait()
            return server.stop()
        }
        preparation.cancel()
        gate.close()
        defer { traceExport?.close(seconds: Self.stopSecondsMax) }
        return transport.stop(withinSeconds: Self.stopSecondsMax) ? .clean : .clientsCutOff
    }
}

// Starting from a program

extension Server {
    /// Starts the server, and returns when the server is ready. The server listens earlier, and
    /// requests wait until it is ready.
    ///
    /// The call waits for the program's preparations (``preparation(_:)``) and for the journal.
    /// Call this function on a thread that may block. The server uses only the files and sockets
    /// that the configuration names. Signal handlers, limits and standard streams of the process
    /// stay as they are; only the log writes to standard error (``log(_:)``). Several servers may
    /// run in one process, and one server may have several stores (``store(_:named:)``).
    ///
    /// - Throws: `ConfigurationError` if the configuration or the list of actions can't be used;
    ///   ``PreparationFailure``; the transport's error if the server can't listen.
    public func start(_ configuration: ServerConfiguration) throws -> RunningServer {
        let start = try ServerStart(self, configuration, makeLogger(configuration))
        do { return try start.becomeReady() } catch {
            _ = start.stop()
            throw error
        }
    }
}
