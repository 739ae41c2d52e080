package import StoreCore

/// A presentation by routes, which clients confirm.
package protocol RoutePresentation: Presentation {
    /// Waits for clients to show what was presented to them.
    var routes: RouteWatch { get }
}

/// Which module is shown by which view, so that what a presenter presents reaches the sessions that
/// asked for it.
final class SessionPresentation<Root: RootState>: RootPresentation, RoutePresentation {
    let routes: RouteWatch
    private let place: SlicePlace<Root, Sessions.State>
    private let modules: Root.Modules
    /// The views that show a module, by its place; `nil` where it has no presenter.
    private let views: [[String]?]

    init(of modules: Root.Modules, at place: SlicePlace<Root, Sessions.State>, _ routes: RouteWatch)
    {
        self.routes = routes
        self.place = place
        self.modules = modules
        views = modules.map { mount in
            mount.presenterTypes.isEmpty
                ? nil : mount.presenterTypes.compactMap { ($0 as? any ViewPresenter.Type)?.view }
        }
    }

    func audience(of sessions: [String]) -> [String] {
        sessions.isEmpty ? [Sessions.shared] : sessions
    }

    func sessions(_ sessions: [String], notShowing module: Int, in root: Root) -> [String] {
        guard let views = views[module], !views.isEmpty, let state = place.read(root, nil) else {
            return []
        }
        return sessions.filter { name in
            !views.contains { state[name]?.shows($0) == true }
        }.sorted()
    }

    /// All clients without a session, where no route has a view of the module: then the state was
    /// made without routes.
    func firstAudience(of module: Int, in root: Root) -> [String] {
        guard let views = views[module], !views.isEmpty, let state = place.read(root, nil),
            !state.sessions.values.contains(where: { views.contains(where: $0.shows) })
        else { return [] }
        return [Sessions.shared]
    }

    func admit(_ module: Int, _ instance: String?, from sessions: [String], in root: Root)
        throws(Refusal)
    {
        guard let views = views[module], !views.isEmpty, let state = place.read(root, nil) else {
            return
        }
        let speaking = sessions.isEmpty ? [Sessions.shared] : sessions
        guard
            !speaking.contains(where: { name in views.contains { state[name]?.shows($0) == true } })
        else { return }
        // What is not started can't be shown either, and that is the better answer.
        guard modules[module].slice.value(root, instance: instance) != nil else { return }
        throw Refusal(
            reason: "'\(modules[module].name)' is not presented to this session; "
                + "GET /route shows what is."
        )
    }
}
