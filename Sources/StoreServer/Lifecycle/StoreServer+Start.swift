import StoreActionCatalog
import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StoreHistory
import StorePatterns
import StorePlatform
import StorePublishing
import StoreTelemetry
import Synchronization

extension StoreServer {
    /// Starts the server and returns when it is ready; it listens before that, and requests wait.
    ///
    /// The call waits for the program's preparations (``preparing(_:)``) and for the journal, so
    /// call it on a thread that may block. The server uses only the files and sockets that the
    /// configuration names. Signal handlers, limits and standard streams of the process stay as
    /// they are; only the log writes to standard error (``logging(_:)``). Several servers may run
    /// in one process, and one server may have several stores (``adding(_:named:)``).
    ///
    /// - Throws: `ConfigurationError` if the configuration or the list of actions can't be used;
    ///   ``PreparationFailure``; the transport's error if the server can't listen.
    public func start(_ configuration: ServerConfiguration) throws -> RunningServer {
        let start = try begin(configuration, makeLogger(configuration))
        do {
            return try finish(start)
        } catch {
            _ = start.stop()
            throw error
        }
    }

    /// Listens. If the process has one store, `journalFailed` ends the process after a failure of
    /// its journal.
    ///
    /// - Throws: ``ConfigurationError`` if the configuration, a store or the list of actions can't
    ///   be used; the transport's error if the server can't listen.
    func begin(
        _ configuration: ServerConfiguration,
        _ logger: Logger,
        journalFailed: (@Sendable (JournalError) -> Void)? = nil
    ) throws -> ServerStart {
        try AddedStore.check(others)
        try checkJournals(configuration)
        try configuration.check()
        try check()
        for other in others { try other.program.check() }
        try checkKeptPaths()
        for warning in FileTrust(configuration).warnings {
            logger.warning(.configurationExposed, warning)
        }
        return try ServerStart(
            configuration.fitted(
                toDescriptors: DescriptorBudget.current,
                storesCount: others.count + 1,
                logger
            ),
            logger,
            traces: TraceExporting(configuration, program: name, version: version, logger),
            journalFailed: others.isEmpty ? journalFailed : nil
        )
    }

    /// Runs the phases of a start, for one store after the other: dependencies, state,
    /// interceptors, ready.
    ///
    /// - Throws: `CancellationError` if the start was stopped meanwhile.
    func finish(_ start: ServerStart) throws -> RunningServer {
        let process = try ServerProcess(
            start.configuration,
            on: start.transport,
            start.logger,
            start.requestIDs,
            traces: start.traces,
            storesCount: others.count + 1,
            policyWorlds: start.configuration.policyFile == nil ? [] : policyWorlds()
        )
        process.startWatchdog()
        do {
            process.add(try serve(start.configuration, at: Links(), in: process, start))
            for other in others { try serve(other, in: process, start) }
        } catch {
            process.abandon(seconds: ServerStart.stopSecondsMax)
            throw error
        }
        let server = RunningServer(process)
        guard start.end(with: server, process.handler) else {
            server.stop()
            throw CancellationError()
        }
        for address in server.adminAddresses {
            start.logger.notice(.serverListening, "operators connect at \(address)")
        }
        for store in process.served { store.watchSessions() }
        return server
    }

    /// Starts an added store. If that fails for a reason of its own, the process continues without
    /// the store. A `ConfigurationError` or a `CancellationError` ends the whole start.
    private func serve(
        _ other: AddedStore,
        in process: ServerProcess,
        _ start: ServerStart
    ) throws {
        let configuration = start.configuration.forStore(other.links)
        if !configuration.ephemeral, !other.program.hasOwnJournal {
            StoreFolders.make(in: start.configuration.dataDirectory)
        }
        do {
            try process.add(
                other.program.serve(configuration, at: other.links, in: process, start)
            )
        } catch let error where error is ConfigurationError || error is CancellationError {
            throw error
        } catch {
            // The error and its remedy have a line each.
            let logger = start.logger.naming(other.name)
            for line in "the store could not be started: \(error)".split(separator: "\n") {
                logger.error(.storeUnavailable, String(line))
            }
            process.add(unavailable: other.links, because: error)
        }
    }

    func serve(
        _ configuration: ServerConfiguration,
        at links: Links,
        in process: ServerProcess,
        _ start: ServerStart
    ) throws -> any ServedStore {
        let logger = links.store.map(start.logger.naming) ?? start.logger
        if !preparations.isEmpty {
            start.enter(.preparing)
            let addresses = start.transport.boundAddresses.map(\.url).joined(separator: ", ")
            logger.notice(.serverPreparing, "preparing; requests to \(addresses) wait meanwhile")
        }
        var world = World(dependencies.logging(to: logger.forEffects), configuration.clock)
        world.logger = logger
        world.dependencies = try start.preparation.run(preparations, on: world.dependencies)
        start.enter(.replaying)
        let store = try assemble(
            configuration,
            at: links,
            in: process,
            world,
            whenJournalFails: start.journalFailed.map { .atOnce($0) }
                ?? journalFailureDecision.map { .later($0) }
        )
        start.enter(.starting)
        store.published.keeper.start()
        store.core.start()
        let (first, others) = (reactions.filter(\.isAtStart), reactions.filter { !$0.isAtStart })
        for reaction in others { store.core.add(reaction: reaction) }
        try startModules(of: store)
        for (action, place) in store.firstActions {
            store.core.engine.dispatchProgramAction(action, from: ActionSource(place: place))
        }
        for reaction in first { store.core.add(reaction: reaction) }
        endViews(of: store)
        resumeEffects(of: store)
        // Waits until the mailbox has the actions that reactions dispatch at the start, so that
        // they come before the requests of clients.
        let haveReacted = Latch()
        if store.core.engine.enqueue({ haveReacted.open() }) { _ = haveReacted.wait() }
        store.published.log.start()
        if let threads = process.threads {
            try store.published.streams.start(on: threads.streams)
        } else {
            try store.published.streams.start(ReaderThread.start(name:_:))
        }
        if world.test != nil {
            logger.warning(
                .configurationExposed,
                "--clock test: time stands still until a client moves it, and random numbers repeat; "
                    + "this is for tests, and not for production"
            )
        }
        if configuration.debugRoutes, !configuration.isLoopbackForOperators {
            logger.warning(
                .configurationExposed,
                "--debug-routes: every client may end streams and analytics"
            )
        }
        if configuration.analyticsRecent > 0, !configuration.isLoopbackForOperators {
            logger.warning(
                .configurationExposed,
                "--analytics-recent: every client may read the analytics events"
            )
        }
        return store
    }
}

// The modules that start with the store

extension StoreServer {
    /// Starts the modules that start with the store, if it has no history, and waits until the
    /// starts are durable.
    ///
    /// All starts form one envelope, which is applied to the state of version 0 alone. The modules
    /// are therefore started once, even if the process ends meanwhile, or several servers begin one
    /// history together.
    ///
    /// - Throws: ``FirstStartError`` if they can't be started.
    func startModules(of store: AssembledStore<State>) throws {
        try offerFirstStarts(of: store)?.check()
    }

    /// Dispatches the actions that start these modules. Returns `nil` if there are none, or the
    /// store has a history.
    func offerFirstStarts(of store: AssembledStore<State>) throws -> FirstStarts? {
        let (base, starts) = (store.base, composition.starts)
        guard !starts.isEmpty, base.history.version == 0,
            // A state from a file continues an earlier store, whose modules have started.
            try GivenState.began(base.history.journal) == nil
        else { return nil }
        let members = try starts.map { try base.registry.member(of: $0, base.encoder) }
        let first = FirstStarts(members.map(\.type))
        let envelope = Envelope(
            members: members,
            condition: VersionCondition(0),
            source: ActionSource(place: "StoreServer/start"),
            completion: first
        )
        try store.core.engine.offer(envelope)
        return first
    }
}

/// Waits for the outcome of the first starts.
final class FirstStarts: Completion {
    private let types: [String]
    private let isOver = Latch()
    private let outcome = Locked<Outcome?>(nil)

    /// Makes a value that waits for the start actions with these wire names.
    fileprivate init(_ types: [String]) { self.types = types }

    func complete(_ outcome: Outcome) {
        self.outcome.withLock { $0 = outcome }
        isOver.open()
    }

    /// Waits until the starts are durable.
    fileprivate func check() throws(FirstStartError) {
        _ = isOver.wait()
        switch outcome.withLock({ $0 }) {
        // A version mismatch means that another server of this history has started the modules.
        case .applied, .versionMismatch: return
        case .refused(let refusal, let member):
            let type = types.indices.contains(member) ? types[member] : "start"
            let reason = refusal.failure.map { "\($0)" } ?? refusal.reason
            throw FirstStartError(description: "the store can't begin with '\(type)': \(reason)")
        case .failed(.storageFull):
            throw FirstStartError(
                description: "the store can't begin: there is no room for its first actions"
            )
        default:
            throw FirstStartError(
                description: "the store can't begin: its first actions were not applied"
            )
        }
    }
}

/// The reason why the modules that start with the store did not start.
struct FirstStartError: Error, CustomStringConvertible {
    let description: String
}
