/// The version that last changed the view of a client. The view has the shared slices and the
/// slices of the client's session, limited to the modules that its role sees.
///
/// Belongs to the thread that drains the mailbox.
struct VisibleVersions {
    /// The most sessions that are recorded. Beyond this bound, all are dropped, and `base` becomes
    /// the current version.
    static let sessionsMax = 32_768

    /// The changes up to this version are unknown.
    private var base: UInt64
    /// The version that last changed a shared slice.
    private var shared: UInt64
    private var sessions: [SessionHash: UInt64] = [:]
    /// The same record for each module; `nil` if all clients see all modules.
    private var modules: ModuleVisibility?
    /// The version up to which all steps are recorded.
    private(set) var noted: UInt64

    init(after version: UInt64, byModule: Bool) {
        (base, shared, noted) = (version, version, version)
        modules = byModule ? ModuleVisibility(after: version) : nil
    }

    /// Starts the record for each module, unless it exists already.
    mutating func beginModules() {
        if modules == nil { modules = ModuleVisibility(after: noted) }
    }

    /// Records the change that the action of `version`, the next version, has made.
    mutating func note(_ change: Change, at version: UInt64) {
        noted = version
        guard change.isChange else { return }
        change.edits.forEach { touch in
            guard touch.isChange else { return }
            modules?.note(touch, at: version)
            guard let session = touch.key.session else {
                shared = version
                return
            }
            sessions[SessionHash(session)] = version
        }
        guard sessions.count > Self.sessionsMax else { return }
        sessions = [:]
        base = version
    }

    /// Lowers all later versions to `version`: the batch with these versions was taken back.
    mutating func forget(after version: UInt64) {
        guard noted > version else { return }
        noted = version
        modules?.forget(after: version)
        shared = min(shared, version)
        for (session, changed) in sessions where changed > version { sessions[session] = version }
    }

    /// True if a client of this session sees the same now as at a version.
    func isSame(for session: String?, since version: UInt64) -> Bool {
        let own = sessions[SessionHash(session)] ?? base
        return max(shared, own, base) <= version
    }

    /// True if a client that sees only these modules sees the same now as at a version.
    func isSame(
        for session: String?,
        seeing sees: (_ module: Int) -> Bool,
        since version: UInt64
    ) -> Bool {
        modules?.isSame(for: session, seeing: sees, since: version) == true
    }
}
