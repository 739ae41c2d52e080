import StoreActionCatalog
import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StoreJournalSQLite
import StoreMetrics
import StorePatterns
import StoreTelemetry
import StoreWire

extension StoreServer {
    /// Makes the router with all routes of the store, behind its filters.
    func router(
        for store: Store,
        _ base: StoreContext<State>,
        _ attachments: CoreAttachments,
        _ supervision: StoreHealth
    ) -> Router {
        let configuration = base.configuration
        let links = store.links
        let limits = JSONLimits(
            bytesMax: store.bounds.bodyBytesMax,
            depthMax: store.bounds.depthMax
        )
        let groups: [any RouteGroup] =
            storeRoutes(links, store, limits) + moduleRoutes(links, store, limits)
            + operationRoutes(store, supervision, base.process)
            + (base.recentAnalytics.map { [AnalyticsRoutes(links, $0, store.reader)] } ?? [])
            + (configuration.debugRoutes ? debugRoutes(links, store, attachments, limits) : [])
            + (base.world.test.map { [TestClockRoutes(links, $0.clock, limits)] } ?? [])
            + [ClientRoutes(links: links)] + credentialRoutes(base, links, store)
            + [discoveryRoutes(links, store, base)]
        return Router(
            RequestEnvironment(
                RouteCatalog(groups),
                of: links,
                ids: base.process.requestIDs,
                sessions: store.sessions,
                web: base.process.web,
                forgetsClients: configuration.forgetClients,
                operatorReads: configuration.operatorReads,
                separatesOperators: configuration.separatesOperators,
                access: base.access?.control,
                hasSecureCookies: configuration.hasSecureCookies,
                livenessProblem: livenessProblem(links, supervision, base.process),
                logger: store.logger,
                measuring: supervision.figures.requests,
                wake: store.wake
            ),
            hosts: configuration.hostRule,
            onTurnEnd: store.wakeCore
        )
    }

    /// Returns the routes that give a browser a cookie for its credential; none without access
    /// control.
    private func credentialRoutes(
        _ base: StoreContext<State>,
        _ links: Links,
        _ store: Store
    ) -> [any RouteGroup] {
        guard let access = base.access else { return [] }
        let modules = composition.modules ?? []
        let hasSessions = store.sessions != nil && modules.contains { $0.name == Sessions.name }
        return [
            CredentialRoutes(links: links, access: access.control, hasSessions: hasSessions)
        ]
    }

    /// Returns a function that finds the problem of a store. For the store at `/` of several, the
    /// function finds a problem only if all stores have one.
    private func livenessProblem(
        _ links: Links,
        _ supervision: StoreHealth,
        _ process: ServerProcess
    ) -> @Sendable () -> Problem? {
        guard process.hasSeveral, links.store == nil else {
            return { [watchdog = supervision.watchdog] in watchdog.problem }
        }
        return { [weak process] in process?.statuses.commonProblem }
    }

    /// Returns the routes for metrics and health. For the store at `/` of several, they show the
    /// whole process.
    private func operationRoutes(
        _ store: Store,
        _ supervision: StoreHealth,
        _ process: ServerProcess
    ) -> [any RouteGroup] {
        let links = store.links
        let (watchdog, journal) = (supervision.watchdog, supervision.journal)
        let livenessProblem = livenessProblem(links, supervision, process)
        let own = [process.measured(store, supervision)]
        let whole = MeasuredProcess(
            process.transport.counters,
            process.analytics,
            process.web,
            log: store.logger.counts,
            tracer: process.traces?.tracer,
            build: buildLabels
        )
        let ready = { @Sendable [isDraining = store.isDraining] () -> NotReady? in
            if isDraining() { return .draining }
            return journal.failure.map { _ in .journalFailed }
        }
        guard process.hasSeveral else {
            return [
                MetricsRoutes(links, { own }, whole),
                HealthRoutes(
                    links: links,
                    livenessProblem: livenessProblem,
                    readiness: { Readiness(ready()) }
                ),
            ]
        }
        guard links.store == nil else {
            return [
                MetricsRoutes(links, { own }, whole),
                HealthRoutes(
                    links: links,
                    livenessProblem: livenessProblem,
                    readiness: { Readiness(ready() ?? watchdog.notReady) }
                ),
            ]
        }
        return [
            MetricsRoutes(links, { [weak process] in process?.measured ?? [] }, whole),
            HealthRoutes(
                links: links,
                livenessProblem: livenessProblem,
                readiness: { [weak process, isDraining = store.isDraining] in
                    isDraining() ? Readiness(.draining) : Readiness(process?.statuses ?? [])
                }
            ),
            StoresRoutes { [weak process] in process?.statuses ?? [] },
        ]
    }

    /// The labels for the running software: the program, this package, and the loaded libraries.
    private var buildLabels: MetricLabels {
        [
            "program": name, "version": version, "package": StoreServerVersion.current,
            "libmicrohttpd": HTTPServer.libraryVersion, "sqlite": SQLiteJournal.libraryVersion,
        ]
    }

    /// Returns the routes of every store.
    private func storeRoutes(
        _ links: Links,
        _ store: Store,
        _ limits: JSONLimits
    ) -> [any RouteGroup] {
        [
            DispatchRoutes(
                links,
                store,
                limits,
                batchMax: store.bounds.batchMax,
                views: (composition.modules ?? []).compactMap { module in
                    let forms = store.actions.forms(for: .views(of: module.name))
                    if forms.isEmpty { return nil }
                    let hasInstances = module.form == .instances
                    return ViewActions(of: module.name, forms, hasInstances: hasInstances)
                },
                hasEffects: composition.modules != nil
            ),
            StateRoutes(links: links, store: store),
            EventsRoutes(links, store),
            LogRoutes(links: links, reader: store.reader),
            TraceRoutes(links, store.reader, store.actions),
            ActionEventsRoutes(links, store),
            NotificationRoutes(
                links: links,
                store: store,
                reactions: reactions.compactMap { NotificationReaction($0) },
                limits: limits
            ),
        ]
    }

    /// Returns the operator's debug routes, for a server with `--debug-routes`.
    private func debugRoutes(
        _ links: Links,
        _ store: Store,
        _ attachments: CoreAttachments,
        _ limits: JSONLimits
    ) -> [any RouteGroup] {
        [
            SubscriptionRoutes(
                links: links,
                streams: store.streams,
                attachments: attachments,
                reader: store.reader,
                modules: composition.modules ?? [],
                presenters: composition.presenters
            ),
            AttachmentRoutes(links: links, attachments: attachments),
            CommandRoutes(links, commands, limits: limits),
        ]
    }

    private func discoveryRoutes(
        _ links: Links,
        _ store: Store,
        _ base: StoreContext<State>
    ) -> DiscoveryRoutes {
        let hasRoles = base.access != nil
        let hasOperators = hasRoles || base.configuration.operatorReads
        let types = store.actions.forms(for: .everybody)
        let logged = store.actions.entries.filter { $0.access != .everybody }.map(\.form)
        let requests =
            composition.useCases.map(\.loggedForm)
            + Set(reactions.compactMap { NotificationReaction($0)?.name }).sorted()
            .map { .name(ClientRequest(notification: $0).name) }
        let batchMax = store.bounds.batchMax
        let schema = { (form: any Decodable.Type) in
            JSONSchema.store(
                state: form,
                actions: types,
                logged: logged,
                requests: requests,
                batchMax: batchMax
            )
        }
        return DiscoveryRoutes(
            links: links,
            title: name,
            version: version,
            schema: schema(composition.visibleForm),
            operatorSchema: schema(State.self),
            components: JSONSchema.storeDefinitions(
                state: composition.visibleForm,
                whole: hasOperators ? State.self : nil,
                isPartial: hasRoles,
                actions: types,
                logged: logged,
                requests: requests,
                batchMax: batchMax
            ) + LogSchema.definitions
                + (composition.views == nil ? [] : JSONSchema.linkDefinitions),
            newest: { [reader = store.reader] in reader.version }
        )
    }
}

// Modules

extension StoreServer {
    /// Returns the routes of a state that is made of modules; none for any other state.
    func moduleRoutes(_ links: Links, _ store: Store, _ limits: JSONLimits)
        -> [any RouteGroup]
    {
        guard let modules = composition.modules, let runner = store.core.effects,
            let views = store.reader.views
        else {
            return []
        }
        var groups: [any RouteGroup] = [
            ModuleListRoutes(
                links: links,
                reader: store.reader,
                actions: store.actions,
                modules: modules
            ),
            ModuleRoutes(links, store, modules),
            ViewRoutes(links: links, store: store, views: views),
            EffectRoutes(links: links, runner: runner),
            UseCaseRoutes(
                links: links,
                store: store,
                methods: composition.useCases,
                limits: limits
            ),
        ]
        if let table = store.sessions, let watch = store.core.routes,
            modules.map(\.name).contains(Sessions.name)
        {
            groups += [
                SessionRoutes(links: links, store: store, table: table),
                PresentationRoutes(
                    links: links,
                    store: store,
                    module: Sessions.name,
                    watch: watch,
                    limits: limits
                ),
            ]
        }
        return groups
    }
}
