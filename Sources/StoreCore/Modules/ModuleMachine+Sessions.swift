// Slices of sessions: who may act on them, and their end.

/// An action that may end a session, and with it all slices that the session has.
package protocol SessionEnding: Action {
    /// The session that ends; `nil` where none does.
    var endedSession: String? { get }
}

extension ModuleMachine {
    /// Refuses an action on a slice of a session that is over: the slice would stay for ever.
    func admitSession(_ key: SliceKey, in state: Root) throws(Refusal) {
        if key.isOnly { return }
        guard let session = key.session, session != SessionName.shared,
            let presentation = changes?.presentation,
            !presentation.isOpen(session, in: state)
        else { return }
        throw Refusal(reason: "The session that this comes from has ended.")
    }

    /// Takes out all that a session has, where the action ends one.
    func endSession(by action: any Action, _ state: inout Root, _ change: inout Change) {
        guard let session = (action as? any SessionEnding)?.endedSession else { return }
        for module in sessionModules where modules[module].slice.end(session: session, &state) {
            change.isChange = true
            change.touch(Touch(module, SliceKey(session: session)))
        }
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
