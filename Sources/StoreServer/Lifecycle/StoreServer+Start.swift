import EventStream
import HTTPTransport
import StoreCore
import Wire

extension StoreServer {
    /// Starts the server and returns when it listens.
    ///
    /// - Throws: ``ConfigurationError`` where the configuration or the list of actions can't be
    ///   used; the transport's error where it can't listen.
    public func start(_ configuration: ServerConfiguration) throws -> RunningServer {
        try configuration.check()
        try ExposedCommand.check(commands)
        let parts = try assemble(configuration.fitted(toDescriptors: DescriptorLimit.raise()))
        parts.keeper.start()
        parts.watchdog.start()
        parts.store.core.start()
        parts.store.log.start()
        try parts.store.streams.start(SystemThread.start(name:_:))
        try parts.transport.start()
        if configuration.debugRoutes, !configuration.isLoopbackOnly {
            Log.warning("--debug-routes: whoever reaches the server may end streams and analytics")
        }
        return RunningServer(
            transport: parts.transport,
            reopen: { parts.analytics?.reopen() },
            stop: { stop(parts) }
        )
    }

    /// The parts of a server, put together.
    struct Parts: Sendable {
        let store: Store<State>
        let router: Router
        let transport: HTTPServer
        let keeper: SnapshotKeeper
        let closeJournal: @Sendable () -> Void
        let watchdog: Watchdog
        let analytics: AnalyticsWriter?
    }

    /// Makes the parts; none of them runs yet but the analytics' writer.
    func assemble(_ configuration: ServerConfiguration) throws -> Parts {
        let registry = try ActionRegistry<State>(actions)
        let encoder = JSONEncoder()
        let opened = try OpenJournal(configuration)
        let history = try History(
            of: self,
            in: opened.journal,
            registry: registry,
            encoder: encoder
        )
        let epoch = history.epoch

        let streams = try StreamWriter(
            limits: configuration.streamLimits,
            frames: .tagged(epoch: epoch)
        )
        let log = ActionLog(
            journal: history.journal,
            epoch: epoch,
            version: history.journal.version
        ) { [weak streams] in
            streams?.logMoved()
        }
        streams.follow(log)
        let waiters = LongPolls()
        let publisher = try Publisher(
            epoch: epoch,
            version: history.journal.version,
            state: history.state,
            encoder: encoder,
            streams: streams,
            waiters: waiters,
            log: log
        )
        let keeper = SnapshotKeeper(
            journal: history.journal,
            form: history.replay.form,
            savedVersion: history.journal.newestSnapshot ?? 0,
            recordsMax: UInt64(configuration.snapshotRecords),
            newest: { publisher.snapshot }
        )
        let progress = Progress()
        let watchdog = Watchdog(
            progress,
            slowSeconds: configuration.slowActionSeconds,
            stuckSeconds: configuration.stuckActionSeconds
        )
        var ports = CoreConfiguration<State>()
        ports.driver = .thread
        ports.mailboxMax = configuration.mailboxMax
        ports.journal = history.journal
        ports.sink = publisher
        ports.appended = keeper.appended(through:bytes:)
        ports.failed = Self.end(after:)
        ports.progress = progress
        ports.changed = { $0 != $1 }
        let core = Core(state: history.state, form: .throwing(reducer), configuration: ports)
        let analytics = try configuration.analytics.writer(
            CloudEventEncoder(
                source: configuration.analyticsSource,
                epoch: epoch,
                encoder: encoder
            )
        )
        let attachments = CoreAttachments()
        if let analytics {
            let middleware = Analytics(registry: registry, writer: analytics).observe
            attachments.add(.middleware, "analytics", ending: core.add(middleware: middleware))
        }
        for observer in observers {
            attachments.add(observer, ending: core.observe(on: observer.queue, with: observer.tell))
        }
        let store = Store(
            configuration: configuration,
            registry: registry,
            core: core,
            publisher: publisher,
            streams: streams,
            waiters: waiters,
            encoder: encoder,
            timeTravel: TimeTravel(
                history.replay,
                epoch: epoch,
                encoder: encoder,
                work: BackgroundWork("history")
            ),
            log: log
        )
        let router = router(for: store, attachments, watchdog)
        let transport = try HTTPServer(
            configuration: configuration.transport,
            handler: router,
            streams: streams,
            startThread: SystemThread.start(name:_:),
            log: Log.warning
        )
        store.attach(transport)
        return Parts(
            store: store,
            router: router,
            transport: transport,
            keeper: keeper,
            closeJournal: opened.close,
            watchdog: watchdog,
            analytics: analytics
        )
    }

    /// Ends the parts in the order in which they depend on one another.
    private func stop(_ parts: Parts) -> Bool {
        let store = parts.store
        // The last one and a half are the process's own.
        let deadline = Deadline(seconds: max(1, Double(store.configuration.shutdownSeconds) - 1.5))
        parts.router.drain()
        store.drain()
        store.waiters.expireAll()
        store.wake()
        let streamsEnded = store.streams.stop(
            reason: .shutdown,
            seconds: deadline.left / 2
        )
        let requestsEnded = parts.transport.stop(seconds: max(0.5, deadline.left - 1))
        store.log.close(seconds: max(0.5, deadline.left))
        store.core.stop()
        parts.watchdog.stop()
        parts.keeper.stop()
        parts.closeJournal()
        parts.analytics?.close(seconds: max(0.5, deadline.left))
        return streamsEnded && requestsEnded
    }

    private func router(
        for store: Store<State>,
        _ attachments: CoreAttachments,
        _ watchdog: Watchdog
    ) -> Router {
        let state = StateRoute(store: store)
        let types = store.registry.entries.map {
            (name: $0.name, type: $0.type as any Decodable.Type)
        }
        let batchMax = store.configuration.batchMax
        let schema = JSONSchema.store(state: State.self, actions: types, batchMax: batchMax)
        let description = OpenAPIDescription(
            title: name,
            version: version,
            components: JSONSchema.storeDefinitions(
                state: State.self,
                actions: types,
                batchMax: batchMax
            ),
            hasDebugRoutes: store.configuration.debugRoutes
        )
        let limits = JSONLimits(
            bytesMax: store.configuration.bodyBytesMax,
            depthMax: store.configuration.depthMax
        )
        let exact: [String: any Route] = [
            "/dispatch": DispatchRoute(
                store: store,
                limits: limits,
                batchMax: batchMax
            ),
            "/state": state,
            "/events": EventsRoute(store: store),
            "/actions": ActionsRoute(
                store: store,
                journal: store.log.journal,
                work: BackgroundWork("log")
            ),
            "/actions/events": ActionEventsRoute(store: store),
            "/schema": DocumentRoute(contentType: "application/schema+json", document: schema),
            "/openapi.json": DocumentRoute(
                contentType: "application/json",
                document: description.document
            ),
            "/livez": HealthRoute(problem: { watchdog.problem }),
            "/readyz": HealthRoute(problem: { [isDraining = store.isDraining] in
                isDraining() ? .draining() : nil
            }),
        ]
        let prefixed: [(String, any Route)] = [
            ("/state/", state),
            ("/problems/", ProblemsRoute()),
        ]
        return Router(
            hosts: HostRule(
                listening: store.configuration.listenHosts,
                further: store.configuration.allowedHosts
            ),
            exact: exact.merging(debugRoutes(for: store, attachments)) { own, _ in own },
            prefixed: prefixed + debugParts(for: store, attachments, limits: limits),
            onTurnEnd: store.nudgeCore
        )
    }
}
