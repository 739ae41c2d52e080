import StoreCore
import StorePatterns

extension PerSession {
    /// Changes the value of a session. A change that keeps the bytes writes no value.
    mutating func change(_ session: String, _ change: (inout Value) throws -> Void) rethrows {
        var value = self[session]
        try change(&value)
        guard Bytewise(json: value) != Bytewise(json: self[session]) else { return }
        self[session] = value
    }

    /// Removes the value of a session.
    mutating func end(_ session: String) { rebuild(self[StateText.nobody], without: session) }

    /// Changes the values of all sessions, and the first value of new sessions.
    mutating func changeAll(_ change: (inout Value, _ session: String) -> Void) {
        let before = self
        var first = before[StateText.nobody]
        change(&first, StateText.nobody)
        rebuild(first, without: nil)
        for session in before.sessions {
            var value = before[session]
            change(&value, session)
            self[session] = value
        }
    }

    private mutating func rebuild(_ first: Value, without gone: String?) {
        let before = self
        self = PerSession(first)
        for session in before.sessions where session != gone { self[session] = before[session] }
    }

    /// The sessions with a value of their own, and the shared session.
    var known: [String] {
        sessions.contains(Sessions.shared) ? sessions : sessions + [Sessions.shared]
    }
}
