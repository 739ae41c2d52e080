// The checks of actions on slices of sessions and users, and the end of these slices.

/// An action that begins or ends a session, ends a user, or changes routes.
package protocol SessionAction: Action {
    /// The owners that end, with all of their slices.
    var endedOwners: [String] { get }
    /// The session that ends; `nil` if the action ends no session.
    var endedSession: String? { get }
    /// The sessions whose routes change; `nil` if the action names no sessions.
    var reroutedSessions: [String]? { get }
    /// The visitor and the user whose slices are joined; `nil` if the action joins no slices.
    var signIn: (visitor: String, user: String)? { get }
}

extension SessionAction {
    package var endedSession: String? { nil }
    package var reroutedSessions: [String]? { nil }
    package var signIn: (visitor: String, user: String)? { nil }
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
    /// Refuses an action on a slice of a session or a visitor that has ended: no later action would
    /// remove the slice.
    func admitOwner(_ key: SliceKey, in state: Root) throws(Refusal) {
        if key.isOnly { return }
        guard let owner = key.owner, sliceObservers != nil else { return }
        if hasEnded(owner, in: state) { throw Refusal.ofEndedSession }
    }

    /// Refuses an action on the first slice of a user if ``OwnerName/usersMax`` users have slices.
    func admitUser(_ key: SliceKey, of module: Int, in state: Root) throws(Refusal) {
        guard let owner = key.owner, !modules[module].slicePlace.hasRoom(state, for: owner) else {
            return
        }
        throw Refusal.ofTooManyUsers(of: moduleNames[module])
    }

    /// Refuses an action on the routes of sessions that have all ended.
    func admitSessions(namedBy action: any Action, in state: Root) throws(Refusal) {
        guard let sessions = (action as? any SessionAction)?.reroutedSessions, !sessions.isEmpty,
            sessions.allSatisfy({ refusesChanges(of: $0, in: state) })
        else { return }
        throw Refusal.ofEndedSession
    }

    /// Returns true if an action may not change the slices of an owner, because the owner's session
    /// has ended. A machine without observers, as in a replay, always returns false: a replayed
    /// action was checked before.
    func refusesChanges(of owner: String, in state: Root) -> Bool {
        sliceObservers != nil && hasEnded(owner, in: state)
    }

    /// Returns true if the owner is a session that is not open, or a visitor with such a session.
    /// Returns false for the shared session, and in a state without sessions. The result depends on
    /// the state alone, so a replay removes the same views as the first run.
    func hasEnded(_ owner: String, in state: Root) -> Bool {
        guard let isSessionOpen, let session = OwnerName.session(of: owner) else { return false }
        return session != SessionName.shared && !isSessionOpen(session, state)
    }

    /// Joins the slices of a visitor that signs in with the slices of the user. Removes all slices
    /// of the owners that the action ends.
    ///
    /// - Throws: the error of a function that joins two slices.
    func endOwners(by action: any Action, _ state: inout Root, _ change: inout Change) throws {
        guard let action = action as? any SessionAction else { return }
        if let (visitor, user) = action.signIn {
            for module in modulesWithOwnedSlices {
                guard
                    try modules[module].boundModule?
                        .adoptSlices(of: visitor, for: user, &state) == true
                else { continue }
                let key = SliceKey(owner: user)
                change.changesState = true
                change.add(SliceEdit(module, key))
                updateCopies(sharedLinksByModule[module], of: module, key, &state, &change)
            }
        }
        for owner in action.endedOwners {
            for module in modulesWithOwnedSlices
            where modules[module].slicePlace.removeSlices(of: owner, &state) {
                change.changesState = true
                change.add(SliceEdit(module, SliceKey(owner: owner)))
            }
            endTimers(ofOwner: owner, &state, &change)
        }
        if let session = action.endedSession { endViews(ofSession: session, &state, &change) }
    }

    /// Adds the changed parts of a slice to a change, for a module whose slice has a part for each
    /// session.
    func addEdits(to change: inout Change, _ module: Int, _ old: Root, _ new: Root) {
        guard let sessions = modules[module].slicePlace.changedSessions(old, new) else {
            return change.add(SliceEdit(module))
        }
        change.add(sessions.lazy.map { SliceKey(owner: $0) }, of: module)
    }

    package func setReader(
        of state: inout Root,
        to session: String?,
        as principal: @autoclosure () -> ActionPrincipal?
    ) {
        guard modulesWithOwnedSlices.count > 0 else { return }
        let reader = SliceReader(as: hasUserSlices ? principal()?.name : nil, in: session)
        for module in modulesWithOwnedSlices {
            modules[module].slicePlace.setReader(of: &state, to: reader)
        }
    }
}

extension Change {
    /// The maximum number of slices of one module that a change lists one by one.
    static var editsMax: Int { 16 }

    /// Adds changed slices of a module. If there are more slices than ``editsMax``, adds a single
    /// entry for the whole module.
    mutating func add(_ keys: some Collection<SliceKey>, of module: Int) {
        guard keys.count <= Self.editsMax else { return add(SliceEdit(module)) }
        for key in keys { add(SliceEdit(module, key)) }
    }
}

extension Refusal {
    /// Makes the refusal of a further user.
    static func ofTooManyUsers(of module: String) -> Refusal {
        Refusal(
            reason: "\(OwnerName.usersMax) users have a slice of '\(module)', the maximum."
        )
    }
}
