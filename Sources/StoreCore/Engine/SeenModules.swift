/// The version that last changed each module, for clients that see some of them: its shared slice,
/// and those of sessions.
///
/// Belongs to the thread that drains the mailbox.
struct SeenModules {
    /// The most slices of sessions that are kept apart; beyond, nothing is known of what came
    /// before.
    static let slicesMax = 32_768

    private struct Slice: Hashable {
        let session: SeenSession
        let module: Int
    }

    /// What was changed up to this version is not known.
    private var base: UInt64
    /// By the places of the modules, up to the last one that was changed.
    private var shared: [UInt64] = []
    private var ofSessions: [Slice: UInt64] = [:]

    init(after version: UInt64) {
        base = version
    }

    /// Notes a slice that the action of a version, the next one, has changed.
    mutating func note(_ touch: Touch, at version: UInt64) {
        while shared.count <= touch.module { shared.append(base) }
        guard let session = touch.key.session else {
            shared[touch.module] = version
            return
        }
        ofSessions[Slice(session: SeenSession(session), module: touch.module)] = version
        guard ofSessions.count > Self.slicesMax else { return }
        ofSessions = [:]
        base = version
    }

    /// Forgets what was noted of versions after this one: they never came to be.
    mutating func forget(after version: UInt64) {
        for module in shared.indices { shared[module] = min(shared[module], version) }
        for (slice, changed) in ofSessions where changed > version { ofSessions[slice] = version }
    }

    /// Whether a client of this session that sees these modules sees the same now as at a version.
    func isSame(
        for session: String?,
        seeing sees: (_ module: Int) -> Bool,
        since version: UInt64
    ) -> Bool {
        guard base <= version else { return false }
        let session = SeenSession(session)
        return shared.indices.allSatisfy { module in
            guard sees(module) else { return true }
            let own = ofSessions[Slice(session: session, module: module)] ?? base
            return max(shared[module], own) <= version
        }
    }
}
