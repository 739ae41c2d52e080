import StoreCore
import Wire

extension StoreServer {
    /// The routes of a state that is made of modules; none for any other.
    func moduleRoutes(_ links: Links, _ store: Store<State>, _ limits: JSONLimits)
        -> [any RouteGroup]
    {
        guard let modules, let runner = store.core.effects, let streams = store.viewStreams else {
            return []
        }
        var groups: [any RouteGroup] = [
            ModuleListRoutes(links: links, store: store, modules: modules.slices),
            ModuleRoutes(links, store, modules.slices),
            ViewRoutes(links, store, modules.views, streams),
            EffectRoutes(links: links, runner: runner),
            UseCaseRoutes(links: links, store: store, calls: modules.useCases, limits: limits),
        ]
        if let table = store.sessions, let watch = store.core.routes,
            let slice = modules.names.firstIndex(of: Sessions.name)
        {
            groups += [
                SessionRoutes(links: links, store: store, table: table),
                PresentationRoutes(
                    links: links,
                    store: store,
                    slice: slice,
                    watch: watch,
                    limits: limits
                ),
            ]
        }
        return groups
    }
}
