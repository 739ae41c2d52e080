/// Which module is shown by which view, and who has changed which module since presenters were told:
/// so that what a presenter presents reaches those who asked for it.
final class Presentation<Root: RootState>: @unchecked Sendable {
    // Safety: belongs to the thread that reduces, which is the Core's.

    private let place: SlicePlace<Root, Sessions.State>
    private let modules: Root.Modules
    /// The views that show a module, by its place; `nil` where it has no presenter.
    private let views: [[String]?]
    private var authors: [Set<String>]
    /// Who has started which module although it was started already.
    private var starters: [Int: Set<String>] = [:]

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
        authors = Array(repeating: [], count: modules.count)
    }

    /// An action of these sessions, of the shared one where there are none, has changed a module.
    func note(_ module: Int, changedBy sessions: [String]) {
        guard views[module] != nil else { return }
        if sessions.isEmpty {
            authors[module].insert(Sessions.shared)
        } else {
            authors[module].formUnion(sessions)
        }
    }

    /// These sessions are about to start a module. Where it is started already, presenters are told as
    /// if it began: for those sessions it does.
    func note(_ module: Int, startedBy sessions: [String], in root: Root) {
        guard let views = views[module], !views.isEmpty, let state = place.read(root, nil),
            modules[module].slice.value(root) != nil
        else { return }
        for name in sessions.isEmpty ? [Sessions.shared] : sessions
        where !views.contains(where: { state[name]?.shows($0) == true }) {
            starters[module, default: []].insert(name)
        }
    }

    /// Whether somebody has started what was started already.
    var hasStarters: Bool { !starters.isEmpty }

    /// Those, by module; forgets them.
    func takeStarters() -> [Int: Set<String>] {
        defer { starters = [:] }
        return starters
    }

    /// Forgets who has changed or started what: it never came to be.
    func forget() {
        for module in authors.indices { authors[module] = [] }
        starters = [:]
    }

    /// Whom a module that is started when the store begins is presented to: where it is on nobody's
    /// route, because the state was made without any, it is to be seen by everybody.
    func firstAuthors(of module: Int, in root: Root) -> [String] {
        guard let views = views[module], !views.isEmpty, let state = place.read(root, nil),
            !state.sessions.values.contains(where: { views.contains(where: $0.shows) })
        else { return [] }
        return [Sessions.shared]
    }

    /// Whose actions have changed a module since this was asked last.
    func takeAuthors(of module: Int) -> [String] {
        guard !authors[module].isEmpty else { return [] }
        defer { authors[module] = [] }
        return authors[module].sorted()
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
