// The checks of actions on slices of sessions, and the end of these slices.

/// An action that begins a session, ends a session, or changes routes.
package protocol SessionAction: Action {
    /// The session that ends, with all of its slices; `nil` if the action ends no session.
    var endedSession: String? { get }
    /// The sessions whose routes change; `nil` if the action names no sessions.
    var reroutedSessions: [String]? { get }
}

/// A slice with the open sessions: the sessions that have begun and not ended.
package protocol SessionRegister: ModuleState {
    func isOpen(_ session: String) -> Bool
}

extension SessionRegister {
    /// Returns a function that returns true if a session is open in a root state. Returns `nil` if
    /// the state of the mounted module has another type than this register.
    static func makeOpenCheck<Root: RootState>(
        in mount: Mount<Root>
    ) -> (@Sendable (String, Root) -> Bool)? {
        guard let place = mount.place(of: Self.self) as? SinglePlace<Root, Self> else {
            return nil
        }
        return { session, root in place.read(root).isOpen(session) }
    }
}

extension ModuleMachine {
    /// Refuses an action on a slice of a session that has ended: no later action would remove the
    /// slice.
    func admitSession(_ key: SliceKey, in state: Root) throws(Refusal) {
        if key.isOnly { return }
        guard let session = key.session, refusesChanges(of: session, in: state) else { return }
        throw Refusal.ofEndedSession
    }

    /// Refuses an action on the routes of sessions that have all ended.
    func admitSessions(namedBy action: any Action, in state: Root) throws(Refusal) {
        guard let sessions = (action as? any SessionAction)?.reroutedSessions, !sessions.isEmpty,
            sessions.allSatisfy({ refusesChanges(of: $0, in: state) })
        else { return }
        throw Refusal.ofEndedSession
    }

    /// Returns true if an action may not change the slices of a session, because the session is
    /// over. A machine without observers makes no such checks: a replayed action was checked
    /// before.
    func refusesChanges(of session: String, in state: Root) -> Bool {
        sliceObservers != nil && isOver(session, in: state)
    }

    /// Returns true if a session is not open. Returns false for the shared session, and in a state
    /// without sessions. The result depends on the state alone, so a replay removes the same views
    /// as the first run.
    func isOver(_ session: String, in state: Root) -> Bool {
        session != SessionName.shared && isSessionOpen?(session, state) == false
    }

    /// Removes all slices of the session that the action ends, if the action ends a session.
    func endSession(by action: any Action, _ state: inout Root, _ change: inout Change) {
        guard let session = (action as? any SessionAction)?.endedSession else { return }
        for module in sessionModules
        where modules[module].slicePlace.removeSlices(ofSession: session, &state) {
            change.changesState = true
            change.add(SliceEdit(module, SliceKey(session: session)))
        }
        endViews(ofSession: session, &state, &change)
    }

    /// Adds the changed parts of a slice to a change, for a module whose slice has a part for each
    /// session.
    func addEdits(to change: inout Change, _ module: Int, _ old: Root, _ new: Root) {
        guard let sessions = modules[module].slicePlace.changedSessions(old, new) else {
            return change.add(SliceEdit(module))
        }
        change.add(sessions.lazy.map { SliceKey(session: $0) }, of: module)
    }

    package func setReaderSession(of state: inout Root, to session: String?) {
        guard sessionModules.count > 0 else { return }
        let reader = ReadingSession(session ?? SessionName.shared)
        for module in sessionModules {
            modules[module].slicePlace.setReader(of: &state, to: reader)
        }
    }
}

extension Change {
    /// The most slices of one module that a change lists one by one.
    static var editsMax: Int { 16 }

    /// Adds changed slices of a module. If there are more slices than ``editsMax``, adds a single
    /// entry for the whole module.
    mutating func add(_ keys: some Collection<SliceKey>, of module: Int) {
        guard keys.count <= Self.editsMax else { return add(SliceEdit(module)) }
        for key in keys { add(SliceEdit(module, key)) }
    }
}
