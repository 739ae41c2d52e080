import StoreCore
import StoreHTTP
import StorePatterns
import StoreWire

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
