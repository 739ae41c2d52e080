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
                ? nil
                : mount.presenterTypes.compactMap { type in
                    (type as? any ViewPresenter.Type).map { $0.view(of: mount.name) }
                }
        }
    }

    func isOpen(_ session: String, in root: Root) -> Bool {
        place.read(root, .only)?[session] != nil
    }

    func isHidden(_ touch: Touch, from session: String, in root: Root) -> Bool {
        guard let views = views(of: touch), let state = place.read(root, .only) else {
            return false
        }
        return !views.contains { state[session]?.shows($0) == true }
    }

    /// The views of a slice: those of its module, and of an instance its own, too. `nil` where it
    /// has none, and so is hidden from no session.
    private func views(of touch: Touch) -> [String]? {
        guard let views = views[touch.module], !views.isEmpty else { return nil }
        guard let instance = touch.key.instance else { return views }
        return views + views.map { PresentedView.name($0, of: instance) }
    }

    /// The session of a slice, where its route lacks the views of the slice; of a shared slice, all
    /// clients without a session, where no route has one of them: then the state was made without
    /// routes.
    ///
    /// Cost: one step for each view on a route, and then one for each slice.
    func firstAudience(of module: Int, in root: Root) -> (SliceKey) -> String? {
        guard views[module]?.isEmpty == false, let state = place.read(root, .only) else {
            return { _ in nil }
        }
        let shown = Set(state.sessions.values.flatMap { $0.route.map { ExactText($0.view) } })
        return { [self] key in
            let touch = Touch(module, key)
            if let session = key.session {
                return isHidden(touch, from: session, in: root) ? session : nil
            }
            let isShown = views(of: touch)?.contains { shown.contains(ExactText($0)) } == true
            return isShown ? nil : Sessions.shared
        }
    }

    func admit(_ module: Int, _ key: SliceKey, from session: String?, in root: Root)
        throws(Refusal)
    {
        guard isHidden(Touch(module, key), from: session ?? Sessions.shared, in: root),
            // What is not started can't be shown either, and that is the better answer.
            modules[module].slice.isThere(root, key)
        else { return }
        let name = SliceAddress(module: modules[module].name, key).path
        throw Refusal(
            reason: "'\(name)' is not presented to this session; "
                + "GET /route shows what is."
        )
    }
}
