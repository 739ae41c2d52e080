// Slices of sessions: who may act on them, and their end.

/// An action about sessions: what they are shown, and their end.
package protocol SessionAction: Action {
    /// The session that ends, and with it all slices that it has; `nil` where none does.
    var endedSession: String? { get }
    /// The sessions that are shown something else; `nil` where it names none.
    var namedSessions: [String]? { get }
}

extension ModuleMachine {
    /// Refuses an action on a slice of a session that is over: the slice would stay for ever.
    func admitSession(_ key: SliceKey, in state: Root) throws(Refusal) {
        if key.isOnly { return }
        guard let session = key.session, isOver(session, in: state) else { return }
        throw Refusal.ofEndedSession
    }

    /// Refuses an action on what sessions are shown, where all that it names are over.
    func admitSessions(named action: any Action, in state: Root) throws(Refusal) {
        guard let sessions = (action as? any SessionAction)?.namedSessions, !sessions.isEmpty,
            sessions.allSatisfy({ isOver($0, in: state) })
        else { return }
        throw Refusal.ofEndedSession
    }

    /// Whether a session has ended, where the state has sessions.
    func isOver(_ session: String, in state: Root) -> Bool {
        session != SessionName.shared
            && changes?.presentation?.isOpen(session, in: state) == false
    }

    /// Takes out all that a session has, where the action ends one.
    func endSession(by action: any Action, _ state: inout Root, _ change: inout Change) {
        guard let session = (action as? any SessionAction)?.endedSession else { return }
        for module in sessionModules where modules[module].slice.end(session: session, &state) {
            change.isChange = true
            change.touch(Touch(module, SliceKey(session: session)))
        }
        endViews(ofSession: session, &state, &change)
    }

    /// Notes whose parts of a slice an action has changed, of a module that has one for each
    /// session.
    func touch(_ change: inout Change, _ module: Int, _ old: Root, _ new: Root) {
        guard let sessions = modules[module].slice.changedSessions(old, new) else {
            return change.touch(Touch(module))
        }
        // Beyond some, one that means all costs less.
        guard sessions.count <= Self.touchesMax else { return change.touch(Touch(module)) }
        for session in sessions { change.touch(Touch(module, SliceKey(session: session))) }
    }

    /// The most slices of one module that are noted one by one.
    static var touchesMax: Int { 16 }

    package func show(_ state: inout Root, to session: String?) {
        guard sessionModules.count > 0 else { return }
        let reader = SessionReader(session ?? SessionName.shared)
        for module in sessionModules { modules[module].slice.show(&state, to: reader) }
    }

}
