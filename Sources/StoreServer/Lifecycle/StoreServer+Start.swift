import ControlledWorld
import EventStream
import HTTPTransport
import Platform
import StatePublishing
import StoreCore
import StoreHTTP
import StoreHistory
import StorePatterns
import Telemetry
import Wire

extension StoreServer {
    /// Starts the server and returns when it is ready; it listens before that, and requests wait.
    ///
    /// Waits for what the program prepares (``preparing(_:)``) and for the journal, so it is called
    /// on a thread that may be held up. It touches nothing of the process but the files and sockets
    /// that the configuration names: no signal, no limit, no standard stream other than for the log
    /// (``logging(_:)``). Several servers may run in one process.
    ///
    /// - Throws: `ConfigurationError` where the configuration or the list of actions can't be
    ///   used; ``PreparationFailure``; the transport's error where it can't listen.
    public func start(_ configuration: ServerConfiguration) throws -> RunningServer {
        let start = try begin(
            configuration,
            makeLogger(),
            journalFailureDecision.map { .later($0) }
        )
        do {
            return try finish(start)
        } catch {
            _ = start.stop()
            throw error
        }
    }

    /// Listens.
    func begin(
        _ configuration: ServerConfiguration,
        _ logger: Logger,
        _ decision: JournalFailureDecision?
    ) throws -> ServerStart {
        if givenJournal != nil { try GivenJournal.check(configuration) }
        try configuration.check()
        try ExposedCommand.check(commands)
        return try ServerStart(
            configuration.fitted(toDescriptors: DescriptorLimit.current, logger),
            logger,
            decision
        )
    }

    /// Goes through the phases of a start: dependencies, state, interceptors, ready.
    ///
    /// - Throws: `CancellationError` where the start was stopped meanwhile.
    func finish(_ start: ServerStart) throws -> RunningServer {
        let configuration = start.configuration
        let transport = start.transport
        let logger = start.logger
        if !preparations.isEmpty {
            let addresses = transport.boundAddresses.map(\.url).joined(separator: ", ")
            logger.notice("preparing; requests to \(addresses) wait meanwhile")
        }
        var world = World(dependencies, configuration.clock)
        world.logger = logger
        world.dependencies = try start.preparation.run(preparations, on: world.dependencies)
        let parts = try assemble(
            configuration,
            on: transport,
            in: world,
            whenJournalFails: start.decision
        )
        parts.keeper.start()
        parts.watchdog.start()
        for interceptor in interceptors { parts.core.add(interceptor: interceptor) }
        parts.core.start()
        // Before a client can dispatch, so that what happens at the start comes first.
        for reaction in reactions { parts.core.add(reaction: reaction) }
        parts.resume()
        parts.log.start()
        try parts.store.streams.start(ReaderThread.start(name:_:))
        let server = RunningServer(
            transport: transport,
            journal: parts.journal,
            reopen: { parts.analytics?.reopen() },
            stop: { stop(parts) }
        )
        guard start.end(with: server, parts.router, parts.store.streams) else {
            server.stop()
            throw CancellationError()
        }
        let store = parts.store
        if let sessions = store.sessions {
            // On the loop's thread from the first look on.
            store.schedule(after: 0) { IdleSessions.watch(store, sessions) }
        }
        if world.test != nil {
            logger.warning(
                "--clock test: time stands still until a client moves it, and random numbers repeat; "
                    + "this is for tests, and not for production"
            )
        }
        if configuration.debugRoutes, !configuration.isLoopbackOnly {
            logger.warning("--debug-routes: every client may end streams and analytics")
        }
        return server
    }

    /// Ends the parts in the order in which they depend on one another.
    private func stop(_ parts: Parts) -> StopOutcome {
        let store = parts.store
        // The last one and a half are the process's own.
        let deadline = Deadline(seconds: max(1, Double(parts.shutdownSeconds) - 1.5))
        parts.router.drain()
        store.drain()
        store.core.effects?.stop()
        parts.waiters.expireAll()
        store.wake()
        // What was committed before goes before the streams' last words.
        parts.publisher.flush(seconds: deadline.left / 4)
        let streamsEnded = store.streams.stop(
            reason: .shutdown,
            seconds: deadline.left / 2
        )
        let requestsEnded = parts.transport.stop(seconds: max(0.5, deadline.left - 1))
        parts.log.close(seconds: max(0.5, deadline.left))
        let unfinished = StopSteps([
            ("the actions that were taken", parts.core.stop),
            ("the snapshot for the next start", parts.keeper.stop),
            ("the journal's end", parts.closeJournal),
        ]).run(seconds: max(0.5, deadline.left))
        parts.publisher.close()
        parts.watchdog.stop()
        parts.analytics?.close(seconds: max(0.5, deadline.left))
        if let unfinished { return .unfinished(unfinished) }
        return streamsEnded && requestsEnded ? .clean : .clientsCutOff
    }
}
