import StoreActionCatalog
import StoreAdmission
import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StoreJournalSQLite
import StoreMetrics
import StoreTelemetry
import StoreWire

/// The routes of a store, and the router that serves them.
struct StoreRoutes<State: Codable & Equatable & Sendable> {
    let context: StoreContext<State>
    let store: Store
    let access: AccessControl?
    let attachments: CoreAttachments
    let figures: StoreFigures
    let health: StoreHealth

    private var configuration: ServerConfiguration { context.configuration }
    private var process: ServerProcess { context.process }
    private var links: Links { store.links }
    private var server: Server<State> { context.server }
    /// True if the process has several stores and this is the store at `/`. The routes for health
    /// and metrics at `/` then show all stores.
    private var showsAllStores: Bool { process.hasSeveralStores && links.storeName == nil }

    /// Makes the router with all routes of the store, behind its filters.
    func makeRouter() -> Router {
        Router(
            RequestEnvironment(
                RouteCatalog(groups),
                of: links,
                sessionsAt: context.hasClientsOfRoot ? Links() : links,
                ids: process.requestIDs,
                sessions: store.sessions,
                joinedBy: context.hasClientsOfRoot && store.sessions != nil ? store : nil,
                web: process.web,
                forgetsClients: configuration.history.forgetClients,
                allowsOperatorReads: configuration.access.operatorReads,
                hasOperatorListeners: configuration.hasOperatorListeners,
                access: access,
                hasSecureCookies: configuration.hasSecureCookies,
                livenessProblem: checkLiveness,
                logger: store.logger,
                measuring: figures.requests,
                wakeLoop: store.wakeLoop
            ),
            hosts: configuration.hostRule,
            takeWorkAfterTurn: store.wakeOrClaimCore
        )
    }

    private var groups: [any RouteGroup] {
        store.commonRoutes(for: server.reactions.compactMap { NotificationReaction($0) })
            + store.moduleRoutes(for: context.composition.useCases) + operationRoutes
            + (context.recentAnalytics.map(store.analyticsRoutes) ?? [])
            + (configuration.http.debugRoutes ? debugRoutes : [])
            + (context.world.testWorld.map { store.clockRoutes(for: $0.clock) } ?? [])
            + store.clientRoutes(access, withCookiesOfRoot: context.hasClientsOfRoot)
            + [discoveryRoutes]
    }

    private var debugRoutes: [any RouteGroup] {
        let presenters = context.composition.presenterNames
        return store.debugRoutes(for: attachments, presenters: presenters, server.commands)
    }

    // Metrics and health

    /// The check for `/livez`, which returns a problem if the store does not work. If the process
    /// has several stores, the check of the store at `/` returns a problem only if all stores have
    /// a problem.
    private var checkLiveness: @Sendable () -> Problem? {
        guard showsAllStores else { return { [watchdog = health.watchdog] in watchdog.problem } }
        return { [weak process] in process?.statuses.allNotReadyProblem }
    }

    /// The routes for metrics and health. If the process has several stores, the routes of the
    /// store at `/` show the whole process.
    private var operationRoutes: [any RouteGroup] {
        let routes = store.operationRoutes(
            measuring: measureStores,
            MeasuredProcess(
                process.transport.counters,
                process.analytics,
                process.web,
                log: store.logger.counts,
                tracer: process.traceExport?.tracer,
                versionLabels: buildLabels
            ),
            livenessProblem: checkLiveness,
            readiness: checkReadiness
        )
        guard showsAllStores else { return routes }
        return routes + [StoresRoutes { [weak process] in process?.statuses ?? [] }]
    }

    private var measureStores: @Sendable () -> [MeasuredStore] {
        if showsAllStores { return { [weak process] in process?.measuredStores ?? [] } }
        let own = process.measuredStore(store, figures, health)
        return { [own] }
    }

    /// A function that returns the readiness of the store, or of the process, for `/readyz`. If the
    /// process has several stores, a store whose reducer does not end is not ready.
    private var checkReadiness: @Sendable () -> Readiness {
        let isDraining = store.isDraining
        if showsAllStores {
            return { [weak process] in
                isDraining() ? Readiness(.draining) : Readiness(process?.statuses ?? [])
            }
        }
        let (health, seesReducer) = (health, process.hasSeveralStores)
        return {
            Readiness(
                health.notReadyReason(isDraining: isDraining())
                    ?? (seesReducer ? health.watchdog.notReadyReason : nil)
            )
        }
    }

    /// The labels for the running software: the program, this package, and the loaded libraries.
    private var buildLabels: MetricLabels {
        [
            "program": server.programName, "version": server.programVersion,
            "package": StoreServerVersion.current,
            "libmicrohttpd": HTTPServer.libraryVersion, "sqlite": SQLiteJournal.libraryVersion,
        ]
    }

    // Discovery

    private var discoveryRoutes: any RouteGroup {
        let composition = context.composition
        let hasOperators = context.hasRoles || configuration.access.operatorReads
        let types = store.actions.signatures(for: .everybody)
        let loggedActions = store.actions.entries.filter { $0.access != .everybody }.map(
            \.signature
        )
        let requests =
            composition.useCases.map(\.recordTypeSchema)
            + server.notificationNames.map { .stringEnum([ClientRequest(notification: $0).name]) }
        let arrayActionsMax = store.bounds.requestActionsMax
        let schema = { (form: any Decodable.Type) in
            let definitions = JSONSchema.storeDefinitions(
                state: form,
                actions: types,
                loggedActions: loggedActions,
                requests: requests,
                arrayActionsMax: arrayActionsMax
            )
            return JSONSchema.storeDocument(definitions)
        }
        return store.discoveryRoutes(
            title: server.programName,
            version: server.programVersion,
            schema: schema(composition.visibleStateType),
            operatorSchema: schema(State.self),
            components: JSONSchema.storeDefinitions(
                state: composition.visibleStateType,
                operatorState: hasOperators ? State.self : nil,
                isPartial: context.hasRoles,
                actions: types,
                loggedActions: loggedActions,
                requests: requests,
                arrayActionsMax: arrayActionsMax
            ) + LogSchema.definitions
                + (composition.views == nil ? [] : JSONSchema.linkDefinitions)
        )
    }
}
