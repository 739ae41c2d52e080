import HTTPTransport
import Wire

extension StoreServer {
    /// Every resource that the server has.
    func router(
        for store: Store<State>,
        _ attachments: CoreAttachments,
        _ watchdog: Watchdog,
        _ times: ServerTimes,
        _ analytics: AnalyticsWriter?,
        _ test: TestWorld?
    ) -> Router {
        let state = StateRoute(store: store)
        let types = store.registry.forms()
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
            hasDebugRoutes: store.configuration.debugRoutes,
            hasTestClock: test != nil,
            modules: modulesDescription(store.registry, batchMax: batchMax),
            notifications: Set(reactions.compactMap { NotificationReaction($0)?.name }).sorted()
        )
        let limits = JSONLimits(
            bytesMax: store.configuration.bodyBytesMax,
            depthMax: store.configuration.depthMax
        )
        let notifications = Dictionary(
            grouping: reactions.compactMap { NotificationReaction($0) },
            by: \.name
        )
        var exact: [String: any Route] = [
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
                work: BackgroundWork("log pages")
            ),
            "/actions/events": ActionEventsRoute(store: store),
            "/trace": TraceRoute(
                store: store,
                journal: store.log.journal,
                work: BackgroundWork("trace")
            ),
            "/schema": DocumentRoute(contentType: "application/schema+json", document: schema),
            "/openapi.json": DocumentRoute(
                contentType: "application/json",
                document: description.document
            ),
            "/metrics": MetricsRoute(store: store, times: times, analytics: analytics),
            "/livez": HealthRoute(problem: { watchdog.problem }),
            "/readyz": HealthRoute(problem: { [isDraining = store.isDraining] in
                isDraining() ? .draining() : nil
            }),
        ]
        for (name, reactions) in notifications {
            exact["/notify/\(name)"] = NotifyRoute(
                store: store,
                limits: limits,
                name: name,
                reactions: reactions
            )
        }
        let prefixed: [(String, any Route)] = [
            ("/state/", state),
            ("/problems/", ProblemsRoute()),
        ]
        let ofModules = moduleRoutes(for: store, limits)
        return Router(
            hosts: HostRule(
                listening: store.configuration.listenHosts,
                further: store.configuration.allowedHosts
            ),
            exact: exact.merging(ofModules.exact) { own, _ in own }
                .merging(debugRoutes(for: store, attachments)) { own, _ in own }
                .merging(testRoutes(for: store, test, limits)) { own, _ in own },
            prefixed: prefixed + ofModules.prefixed
                + debugParts(for: store, attachments, limits: limits),
            onTurnEnd: store.nudgeCore
        )
    }
}
