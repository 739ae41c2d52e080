import StoreCore
import Wire

extension StoreServer {
    /// The modules as the description of the API has them.
    func modulesDescription(
        _ registry: ActionRegistry<State>,
        batchMax: Int
    ) -> ModulesDescription? {
        guard let modules else { return nil }
        return ModulesDescription(
            slices: modules.slices,
            ui: modules.names.compactMap { name in
                let forms = registry.forms(for: .views(of: name))
                return forms.isEmpty ? nil : (name, forms)
            },
            batchMax: batchMax,
            views: modules.views.views.map { ($0.name, ViewQuery($0.parameters).properties) },
            useCases: modules.useCases.map {
                ($0.path, JSONSchemaDocument(of: [$0.input]).roots[0])
            },
            hasSessions: modules.names.contains(Sessions.name)
        )
    }

    /// The resources of a state that is made of modules; none for any other.
    func moduleRoutes(
        for store: Store<State>,
        _ limits: JSONLimits
    ) -> (exact: [String: any Route], prefixed: [(String, any Route)]) {
        guard let modules, let runner = store.core.effects, let streams = store.viewStreams
        else { return ([:], []) }
        var exact: [String: any Route] = [
            "/modules": ModuleListRoute(store: store, modules: modules.slices),
            "/effects": ListRoute.effects(of: runner),
            "/views": ListRoute.views(modules.views),
        ]
        for (index, name) in modules.names.enumerated() {
            exact["/modules/\(name)/events"] = ModuleEventsRoute(store: store, index: index)
            guard !store.registry.names(for: .views(of: name)).isEmpty else { continue }
            exact["/modules/\(name)/ui"] = DispatchRoute(
                store: store,
                limits: limits,
                batchMax: store.configuration.batchMax,
                audience: .views(of: name)
            )
        }
        if let table = store.sessions, let watch = store.core.routes,
            let slice = modules.names.firstIndex(of: Sessions.name)
        {
            exact["/sessions"] = SessionsRoute(store: store, table: table)
            exact["/session"] = SessionRoute(store: store, table: table)
            exact["/route"] = PresentedRoute(store: store, slice: slice)
            exact["/route/shown"] = ShownRoute(store: store, watch: watch, limits: limits)
        }
        let work = BackgroundWork("views")
        for view in modules.views.views {
            for isStream in [false, true] {
                exact["/views/\(view.name)" + (isStream ? "/events" : "")] = ViewRoute(
                    store: store,
                    parts: modules.views,
                    view: view,
                    query: ViewQuery(view.parameters),
                    streams: streams,
                    work: work,
                    isStream: isStream
                )
            }
        }
        for call in modules.useCases {
            exact["/usecases/\(call.path)"] = UseCaseRoute(store: store, call: call, limits: limits)
        }
        return (
            exact,
            [
                ("/modules/", ModuleRoute(store: store, modules: modules.slices)),
                ("/effects/", EffectRoute(runner: runner)),
            ]
        )
    }
}
