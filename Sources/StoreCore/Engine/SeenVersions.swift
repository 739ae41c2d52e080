/// The version that last changed what a client sees: shared slices, and those of its session; of
/// both, those of the modules that its role sees.
///
/// Belongs to the thread that drains the mailbox.
struct SeenVersions {
    /// The most sessions that are kept apart; beyond, nothing is known of what came before.
    static let sessionsMax = 32_768

    /// What was changed up to this version is not known.
    private var base: UInt64
    /// The version that last changed a shared slice.
    private var shared: UInt64
    private var sessions: [SeenSession: UInt64] = [:]
    /// The same by modules; `nil` where all clients see all of them.
    private var modules: SeenModules?
    /// Every step up to this version is noted.
    private(set) var noted: UInt64

    init(after version: UInt64, byModule: Bool) {
        (base, shared, noted) = (version, version, version)
        modules = byModule ? SeenModules(after: version) : nil
    }

    /// Keeps modules apart from now on, if it has not done that before.
    mutating func beginModules() {
        if modules == nil { modules = SeenModules(after: noted) }
    }

    /// Notes what the action of a version, the next one, has changed.
    mutating func note(_ change: Change, at version: UInt64) {
        noted = version
        guard change.isChange else { return }
        change.touches.forEach { touch in
            guard touch.isChange else { return }
            modules?.note(touch, at: version)
            guard let session = touch.key.session else {
                shared = version
                return
            }
            sessions[SeenSession(session)] = version
        }
        guard sessions.count > Self.sessionsMax else { return }
        sessions = [:]
        base = version
    }

    /// Forgets what was noted of versions after this one: they never came to be.
    mutating func forget(after version: UInt64) {
        guard noted > version else { return }
        noted = version
        modules?.forget(after: version)
        shared = min(shared, version)
        for (session, changed) in sessions where changed > version { sessions[session] = version }
    }

    /// Whether a client of this session sees the same now as at a version.
    func isSame(for session: String?, since version: UInt64) -> Bool {
        let own = sessions[SeenSession(session)] ?? base
        return max(shared, own, base) <= version
    }

    /// The same for a client that sees these modules alone.
    func isSame(
        for session: String?,
        seeing sees: (_ module: Int) -> Bool,
        since version: UInt64
    ) -> Bool {
        modules?.isSame(for: session, seeing: sees, since: version) == true
    }
}
