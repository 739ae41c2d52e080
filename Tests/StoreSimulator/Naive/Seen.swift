import StorePatterns

/// The versions since the store's start that changed the states of sessions.
struct Seen {
    private let since: UInt64
    private var shared: UInt64 = 0
    private var own: [String: UInt64] = [:]
    /// The same by the names of the members.
    private var members: [String: UInt64] = [:]
    private var ownMembers: [String: [String: UInt64]] = [:]
    /// The version from which conditions are exact. A full disk took back a whole batch, so
    /// conditions on older versions may fail although nothing has changed.
    private(set) var sureSince: UInt64

    init(since version: UInt64) {
        since = version
        sureSince = version
    }

    mutating func note(_ old: StateText, _ new: StateText, at version: UInt64) {
        if old.everybodys != new.everybodys { shared = version }
        for session in StateText.changedSessions(old, new) { own[session] = version }
        for (name, sessions) in StateText.changedMembers(old, new) {
            guard let sessions else {
                members[name] = version
                continue
            }
            for session in sessions { ownMembers[name, default: [:]][session] = version }
        }
        // A condition of the owner fails then, also if the first slice has the same bytes.
        for (name, owners) in StateText.endedOwners(old, new) {
            for owner in owners {
                own[owner] = version
                ownMembers[name, default: [:]][owner] = version
            }
        }
    }

    mutating func tookBack(to version: UInt64) { sureSince = version }

    /// True if a client's state has not changed since an earlier version.
    func isSame(for client: Reading, since version: UInt64) -> Bool {
        guard let sight = client.sight else {
            return max(since, shared, own[client.name] ?? 0, own[client.owner] ?? 0) <= version
        }
        return since <= version
            && sight.allSatisfy { member in
                let mine = ownMembers[member] ?? [:]
                let last = max(mine[client.name] ?? 0, mine[client.owner] ?? 0)
                return max(members[member] ?? 0, last) <= version
            }
    }
}
