import Dispatch
import StoreActionCatalog
import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StoreHistory
import StoreJSONSchema
import StoreMetrics
import StorePatterns
import StorePublishing
import StoreTelemetry
import StoreWire

extension StoreContext {
    /// Makes the objects that measure a store. They have a row for each type of action, each use
    /// case and each notification.
    func makeFigures(
        of journal: any Journal,
        _ keeper: SnapshotKeeper,
        _ access: StoreAccess?
    ) -> StoreFigures {
        let useCases = composition.useCases.map {
            ClientRequest.name(ofUseCase: $0.path, instance: $0.hasInstances ? "{id}" : nil)
        }
        let notifications = server.notificationNames.map { ClientRequest(notification: $0).name }
        return StoreFigures(
            CoreFigures(
                types: registry.entries.map(\.signature.name),
                requests: useCases + notifications
            ),
            of: journal,
            keeper,
            encoding: encodeTimes,
            server.hasCustomJournal ? nil : configuration.effectiveRetention,
            access: access?.control
        )
    }

    /// Makes the Core, which continues from the newest version of the history.
    func makeCore(
        continuing history: RecoveredHistory<State>,
        keyClock: SteadyClock,
        _ publisher: StatePublisher<State>,
        commands: ScreenCommandSender?,
        _ views: ViewStreams<State>?,
        _ keeper: SnapshotKeeper,
        _ figures: StoreFigures,
        _ health: StoreHealth
    ) throws -> Core<State> {
        var ports = CoreConfiguration<State>()
        ports.driver = process.threads.map { .pool($0.coreThreads) } ?? .thread
        ports.clientMailboxMax = configuration.actions.mailboxMax
        if let test = world.testWorld { ports.clock = test.clock.timeOfDay }
        ports.journal = history.journal
        ports.initialVersion = history.version
        ports.programNumber = history.programNumber
        ports.reader = RecordReader(history.replay.forms)
        ports.idempotencyKeyClock = keyClock
        ports.sink = publisher
        if let commands { ports.sendScreenCommand = commands.send }
        ports.onJournalFailure = health.journalCondition.handleFailure
        ports.progress = health.watchdog.progress
        ports.figures = figures.core
        ports.limitsVisibleModules = hasRoles
        ports.tracing = process.traceExport?.storeTracing(
            of: links.storeName,
            epoch: history.epoch.description
        )
        ports.follower = StoreFollower(keeper, actionLineWriter, logger)
        ports.makeMember = { [registry, encoder] action in try registry.member(of: action, encoder)
        }
        if let simulated = world.simulatedWorld {
            ports.clock = simulated.clock
            ports.onJournalFailure = simulated.onJournalFailure
            ports.follower = simulated.makeFollower(keeper.countAppended(through:bytes:))
        }
        let core = try composition.makeCore(
            history.state,
            ports,
            self,
            measuring: figures.effects,
            showing: views
        )
        health.journalCondition.setEffectCanceller { [weak core] in core?.effectRunner?.stop() }
        if let test = world.testWorld {
            test.clock.addRestWaiter { [weak core] in
                await core?.waitForRest(of: test.executor) ?? true
            }
        }
        return core
    }

    /// Attaches analytics, middleware, interceptors and the program's observers to the Core. The
    /// publisher is not attached here, because it is the sink of the Core.
    func attachObservers(to core: Core<State>, _ epoch: Epoch) -> CoreAttachments {
        let attachments = CoreAttachments()
        let builtIn =
            makeAnalyticsMiddleware(epoch).map { [(AnalyticsMiddleware<State>.id, $0.observe)] }
            ?? []
        for (id, observe) in builtIn + server.middleware {
            attachments.add(.middleware, id, removal: core.add(middleware: observe))
        }
        for (id, intercept) in server.interceptors {
            attachments.add(.interceptor, id, removal: core.add(interceptor: intercept))
        }
        for observer in server.observers {
            attachments.addObserver(
                on: observer.queue?.label,
                removal: core.observe(on: observer.queue, with: observer.receive)
            )
        }
        return attachments
    }

    /// Returns the middleware for analytics; `nil` if no analytics event is written or kept.
    private func makeAnalyticsMiddleware(_ epoch: Epoch) -> AnalyticsMiddleware<State>? {
        guard process.analytics != nil || recentAnalytics != nil else { return nil }
        return AnalyticsMiddleware(
            registry: registry,
            writer: process.analytics,
            recentEvents: recentAnalytics,
            encoder: CloudEventEncoder(
                source: configuration.analytics.eventSource,
                epoch: epoch,
                encoder: encoder
            )
        )
    }

    /// Makes the value that the routes of the store share, and connects this value with the
    /// transport.
    func makeStore(
        _ core: Core<State>,
        _ state: State,
        _ reader: StateReader,
        _ streams: StreamWriter
    ) -> Store {
        let sessions = composition.sessions(of: state)
        let root = hasClientsOfRoot ? process.servedStores.first?.store.sessions : nil
        let store = Store(
            at: links,
            bounds: configuration.requestBounds,
            actions: registry.table,
            modules: composition.modules ?? [],
            core: core.engine,
            reader: reader,
            streams: streams,
            encoder: encoder,
            logger: logger,
            sessions: sessions.map { root ?? configuration.makeSessionTable(of: $0) },
            joinedSessions: sessions == nil
                ? nil
                : root.map {
                    JoinedSessions($0, startActions: composition.sessionStartActions)
                },
            departures: makeDepartures(core),
            sessionStartActions: composition.sessionStartActions,
            presence: composition.modules.map { makePresence(of: $0, core) }
        )
        store.attach(process.transport)
        return store
    }

    /// Makes the object that dispatches actions about the departures of sessions; `nil` if no
    /// module has such an action.
    private func makeDepartures(_ core: Core<State>) -> SessionDepartures? {
        let actions = (composition.modules ?? []).compactMap(\.departureAction)
        guard !actions.isEmpty else { return nil }
        return SessionDepartures(actions) {
            [engine = core.engine] action, session, origin throws(MailboxError) in
            let source = ActionSource(sourceLocation: origin, session: session)
            try engine.offerProgramAction(action, from: source)
        }
    }

    /// Makes the dispatcher of actions about the sessions that show each module.
    private func makePresence(of modules: [SliceDescription], _ core: Core<State>) -> ViewPresence {
        let presence = ViewPresence(modules) {
            [engine = core.engine] action, session, origin throws(MailboxError) in
            let source = ActionSource(sourceLocation: origin, session: session)
            try engine.offerProgramAction(action, from: source)
        }
        for module in presence.watchedModuleIndices {
            composition.watchSlices(of: module, in: core) { [weak presence] key, isThere in
                presence?.noteSlice(of: module, key, exists: isThere)
            }
        }
        return presence
    }
}
