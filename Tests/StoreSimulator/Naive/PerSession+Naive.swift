import StoreCore
import StorePatterns

extension PerSession {
    /// Changes what a session has. One that has the same bytes then has nothing of its own for it.
    mutating func change(_ session: String, _ change: (inout Value) throws -> Void) rethrows {
        var value = self[session]
        try change(&value)
        guard Bytewise(json: value) != Bytewise(json: self[session]) else { return }
        self[session] = value
    }

    /// Takes out what a session has.
    mutating func end(_ session: String) { rebuild(self[StateText.nobody], without: session) }

    /// Changes the values of all sessions, and what all begin with.
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

    /// The sessions that have something of their own, and that of all who have none.
    var known: [String] {
        sessions.contains(Sessions.shared) ? sessions : sessions + [Sessions.shared]
    }
}
