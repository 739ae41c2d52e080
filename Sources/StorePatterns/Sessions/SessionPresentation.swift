package import StoreCore

/// A presentation of modules that depends on the routes of sessions. ``routeWatch`` waits until
/// clients confirm that they show a route.
package protocol RoutePresentation: Presentation {
    var routeWatch: RouteWatch { get }
}

/// The presentation of a state with ``Sessions``: a module is presented to a session if the
/// session's route has one of the module's views.
final class SessionPresentation<Root: RootState>: RootPresentation, RoutePresentation {
    let routeWatch: RouteWatch
    private let place: SinglePlace<Root, Sessions.State>
    private let modules: Root.Modules
    /// For each module, the views that show the module; `nil` if the module has no presenter.
    private let viewsByModule: [[String]?]

    init(
        of modules: Root.Modules,
        at place: SinglePlace<Root, Sessions.State>,
        _ routes: RouteWatch
    ) {
        routeWatch = routes
        self.place = place
        self.modules = modules
        viewsByModule = modules.map { mount in
            mount.presenterTypes.isEmpty
                ? nil
                : mount.presenterTypes.compactMap { type in
                    (type as? any ViewPresenter.Type).map { $0.view(of: mount.name) }
                }
        }
    }

    func isHidden(_ edit: SliceEdit, from session: String, in root: Root) -> Bool {
        guard let views = views(of: edit) else { return false }
        let state = place.read(root)
        return !views.contains { state[session]?.shows($0) == true }
    }

    /// Returns the views of a slice: the views of its module, and for an instance also the views of
    /// the instance. Returns `nil` if the slice has no views. A slice without views is visible to
    /// every session.
    private func views(of edit: SliceEdit) -> [String]? {
        guard let views = viewsByModule[edit.moduleIndex], !views.isEmpty else { return nil }
        guard let instance = edit.key.instance else { return views }
        return views + views.map { PresentedView.instanceViewName($0, of: instance) }
    }

    /// Returns a function that finds the session to which a slice is presented when the store
    /// begins. The function returns `nil` if the slice has no views, or if a view is already on a
    /// route.
    ///
    /// A session's slice is presented to this session unless the session's route already has a view
    /// of the slice. A shared slice is presented to the shared session unless a route already has a
    /// view of the slice. A user's slice is presented to no session. For instance, no route shows
    /// the slices of a state that was made without routes.
    ///
    /// Cost: linear in the number of views on all routes, and then a constant time for each slice.
    func makeInitialSessionLookup(of module: Int, in root: Root) -> (SliceKey) -> String? {
        guard viewsByModule[module]?.isEmpty == false else { return { _ in nil } }
        let state = place.read(root)
        let shown = Set(state.sessions.values.flatMap { $0.route.map { ExactText($0.view) } })
        return { [self] key in
            let edit = SliceEdit(module, key)
            if let session = key.session {
                return isHidden(edit, from: session, in: root) ? session : nil
            }
            // A user's slice does not name the sessions of the user.
            guard key.owner == nil else { return nil }
            let isShown = views(of: edit)?.contains { shown.contains(ExactText($0)) } == true
            return isShown ? nil : Sessions.shared
        }
    }

    func admitViewAction(_ module: Int, _ key: SliceKey, from session: String?, in root: Root)
        throws(Refusal)
    {
        guard isHidden(SliceEdit(module, key), from: session ?? Sessions.shared, in: root),
            // If the slice is not started, a later check refuses the action with a better reason.
            modules[module].slicePlace.isSliceThere(root, key)
        else { return }
        let name = SliceAddress(module: modules[module].name, key).path
        throw Refusal(
            reason: "'\(name)' is not presented to this session; GET /route shows the views of "
                + "the session."
        )
    }
}
