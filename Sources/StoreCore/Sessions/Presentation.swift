/// Which module is shown by which view, so that what a presenter presents reaches the sessions that
/// asked for it.
final class Presentation<Root: RootState>: Sendable {
    private let place: SlicePlace<Root, Sessions.State>
    private let modules: Root.Modules
    /// The views that show a module, by its place; `nil` where it has no presenter.
    private let views: [[String]?]

    /// - Returns: `nil` where the root state has no sessions.
    /// - Throws: ``ModuleError`` where a presenter presents a view to sessions that are not there.
    init?(of modules: Root.Modules) throws(ModuleError) {
        let sessions = modules.first { $0.name == Sessions.name }
        guard
            let place = sessions?.slice.place(of: Sessions.State.self)
                as? SlicePlace<Root, Sessions.State>
        else {
            if let homeless = modules.first(where: { $0.presenters.contains { $0.view != nil } }) {
                throw .noSessions(homeless.name)
            }
            return nil
        }
        self.place = place
        self.modules = modules
        views = modules.map { mount in
            mount.presenters.isEmpty ? nil : mount.presenters.compactMap(\.view)
        }
    }

    /// Which of these sessions do not show a module: for those it begins when they start it, although it
    /// was started already.
    func sessions(_ sessions: [String], notShowing module: Int, in root: Root) -> [String] {
        guard let views = views[module], !views.isEmpty, let state = place.read(root, nil) else {
            return []
        }
        return sessions.filter { name in
            !views.contains { state[name]?.shows($0) == true }
        }.sorted()
    }

    /// Whom a module that is started when the store begins is presented to: where it is on nobody's
    /// route, because the state was made without any, it is to be seen by everybody.
    func firstAuthors(of module: Int, in root: Root) -> [String] {
        guard let views = views[module], !views.isEmpty, let state = place.read(root, nil),
            !state.sessions.values.contains(where: { views.contains(where: $0.shows) })
        else { return [] }
        return [Sessions.shared]
    }

    /// Refuses what the views of a module say in a session that does not show any of them.
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
