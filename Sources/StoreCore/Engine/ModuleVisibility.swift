/// The version that last changed each module: its shared slice, and the slices of sessions. The
/// engine needs it for clients that see only some of the modules.
///
/// Belongs to the thread that drains the mailbox.
struct ModuleVisibility {
    /// The most session slices that are recorded. Beyond this bound, all are dropped, and `base`
    /// becomes the current version.
    static let slicesMax = 32_768

    private struct Slice: Hashable {
        let session: SessionHash
        let module: Int
    }

    /// The changes up to this version are unknown.
    private var base: UInt64
    /// The versions of the shared slices, by module index, up to the last module that was changed.
    private var shared: [UInt64] = []
    private var ofSessions: [Slice: UInt64] = [:]

    init(after version: UInt64) {
        base = version
    }

    /// Records that the action of `version`, the next version, has changed a slice.
    mutating func note(_ touch: SliceEdit, at version: UInt64) {
        while shared.count <= touch.module { shared.append(base) }
        guard let session = touch.key.session else {
            shared[touch.module] = version
            return
        }
        ofSessions[Slice(session: SessionHash(session), module: touch.module)] = version
        guard ofSessions.count > Self.slicesMax else { return }
        ofSessions = [:]
        base = version
    }

    /// Lowers all later versions to `version`: the batch with these versions was taken back.
    mutating func forget(after version: UInt64) {
        for module in shared.indices { shared[module] = min(shared[module], version) }
        for (slice, changed) in ofSessions where changed > version { ofSessions[slice] = version }
    }

    /// True if a client of this session sees the same now as at a version. `sees` returns true for
    /// the modules that the client sees.
    func isSame(
        for session: String?,
        seeing sees: (_ module: Int) -> Bool,
        since version: UInt64
    ) -> Bool {
        guard base <= version else { return false }
        let session = SessionHash(session)
        return shared.indices.allSatisfy { module in
            guard sees(module) else { return true }
            let own = ofSessions[Slice(session: session, module: module)] ?? base
            return max(shared[module], own) <= version
        }
    }
}
