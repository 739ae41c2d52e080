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

    func isOpen(_ session: String, in root: Root) -> Bool {
        place.read(root, .only)?[session] != nil
    }

    func isHidden(_ module: Int, from session: String, in root: Root) -> Bool {
        guard let views = views[module], !views.isEmpty, let state = place.read(root, .only) else {
            return false
        }
        return !views.contains { state[session]?.shows($0) == true }
    }

    /// The session of a slice, where its route lacks the module's views; of a shared slice, all
    /// clients without a session, where no route has a view of the module: then the state was made
    /// without routes.
    func firstAudience(of module: Int, _ key: SliceKey, in root: Root) -> String? {
        guard let views = views[module], !views.isEmpty, let state = place.read(root, .only) else {
            return nil
        }
        if let session = key.session {
            return isHidden(module, from: session, in: root) ? session : nil
        }
        let isShown = state.sessions.values.contains { views.contains(where: $0.shows) }
        return isShown ? nil : Sessions.shared
    }

    func admit(_ module: Int, _ key: SliceKey, from session: String?, in root: Root)
        throws(Refusal)
    {
        guard isHidden(module, from: session ?? Sessions.shared, in: root),
            // What is not started can't be shown either, and that is the better answer.
            modules[module].slice.isThere(root, key)
        else { return }
        throw Refusal(
            reason: "'\(modules[module].name)' is not presented to this session; "
                + "GET /route shows what is."
        )
    }
}
