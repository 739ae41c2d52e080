import StorePatterns

/// Which versions changed what sessions see, of those since the store began.
struct Seen {
    private let since: UInt64
    private var shared: UInt64 = 0
    private var own: [String: UInt64] = [:]
    /// Conditions on older versions need not hold although nothing has changed: a failure of the
    /// disk has taken back a whole batch.
    private(set) var sureSince: UInt64

    init(since version: UInt64) {
        since = version
        sureSince = version
    }

    mutating func note(_ old: StateText, _ new: StateText, at version: UInt64) {
        if old.everybodys != new.everybodys { shared = version }
        for session in StateText.changedSessions(old, new) { own[session] = version }
    }

    mutating func tookBack(to version: UInt64) { sureSince = version }

    /// Whether a session sees the same as at an earlier version.
    func isSame(for session: String?, since version: UInt64) -> Bool {
        max(since, shared, own[session ?? Sessions.shared] ?? 0) <= version
    }
}
