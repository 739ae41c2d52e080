/// The versions that last changed the views of the clients. A client's view has the shared slices
/// and the slices of its session. The view is limited to the modules that the client's role sees.
///
/// Only the thread that drains the mailbox uses this value.
struct LastVisibleChanges {
    /// The most sessions that are recorded. Beyond this bound, all entries are dropped, and
    /// `baseVersion` becomes the current version.
    static let sessionsMax = 32_768

    /// The changes up to this version are unknown.
    private var baseVersion: UInt64
    /// The version that last changed a shared slice.
    private var sharedVersion: UInt64
    private var versionsBySession: [SessionHash: UInt64] = [:]
    /// The versions for each module; `nil` if all clients see all modules and no condition has
    /// needed these versions.
    private var modules: LastModuleChanges?
    /// The version up to which all steps are recorded.
    private(set) var notedVersion: UInt64

    init(after version: UInt64, byModule: Bool) {
        (baseVersion, sharedVersion, notedVersion) = (version, version, version)
        modules = byModule ? LastModuleChanges(after: version) : nil
    }

    /// Starts the record for each module, unless it exists already.
    mutating func beginModuleChanges() {
        if modules == nil { modules = LastModuleChanges(after: notedVersion) }
    }

    /// Records the change of the action that made `version`. Each call has the next version.
    mutating func note(_ change: Change, at version: UInt64) {
        notedVersion = version
        guard change.changesState else { return }
        change.edits.forEach { edit in
            guard edit.changesSlice else { return }
            modules?.note(edit, at: version)
            if let session = edit.key.session {
                versionsBySession[SessionHash(session)] = version
            } else {
                sharedVersion = version
            }
        }
        guard versionsBySession.count > Self.sessionsMax else { return }
        versionsBySession = [:]
        baseVersion = version
    }

    /// Lowers all later versions to `version`: the batch with these versions was taken back.
    mutating func forget(after version: UInt64) {
        guard notedVersion > version else { return }
        notedVersion = version
        modules?.forget(after: version)
        sharedVersion = min(sharedVersion, version)
        for (session, changed) in versionsBySession where changed > version {
            versionsBySession[session] = version
        }
    }

    /// True if a client of this session sees the same state now as at `version`. `sees` returns
    /// true for the modules that the client sees; `nil` stands for all modules.
    func isUnchanged(
        for session: String?,
        seeing sees: ((_ module: Int) -> Bool)?,
        since version: UInt64
    ) -> Bool {
        if let sees {
            return modules?.isUnchanged(for: session, seeing: sees, since: version) == true
        }
        let own = versionsBySession[SessionHash(session)] ?? baseVersion
        return max(sharedVersion, own, baseVersion) <= version
    }
}

/// The versions that last changed the shared slice and the slices of sessions of each module. The
/// engine needs these versions for clients that see only some of the modules.
struct LastModuleChanges {
    /// The most session slices that are recorded. Beyond this bound, all entries are dropped, and
    /// `baseVersion` becomes the current version.
    static let slicesMax = 32_768

    private struct SliceOfSession: Hashable {
        let session: SessionHash
        let module: Int
    }

    /// The changes up to this version are unknown.
    private var baseVersion: UInt64
    /// The versions of the shared slices, by module index. A module after the end of the array has
    /// the version `baseVersion`.
    private var sharedVersionsByModule: [UInt64] = []
    private var versionsBySessionSlice: [SliceOfSession: UInt64] = [:]

    init(after version: UInt64) { baseVersion = version }

    /// Records that the action that made `version` has changed a slice.
    mutating func note(_ edit: SliceEdit, at version: UInt64) {
        while sharedVersionsByModule.count <= edit.module {
            sharedVersionsByModule.append(baseVersion)
        }
        guard let session = edit.key.session else {
            sharedVersionsByModule[edit.module] = version
            return
        }
        versionsBySessionSlice[SliceOfSession(session: SessionHash(session), module: edit.module)] =
            version
        guard versionsBySessionSlice.count > Self.slicesMax else { return }
        versionsBySessionSlice = [:]
        baseVersion = version
    }

    /// Lowers all later versions to `version`: the batch with these versions was taken back.
    mutating func forget(after version: UInt64) {
        for module in sharedVersionsByModule.indices {
            sharedVersionsByModule[module] = min(sharedVersionsByModule[module], version)
        }
        for (slice, changed) in versionsBySessionSlice where changed > version {
            versionsBySessionSlice[slice] = version
        }
    }

    /// True if a client of this session sees the same state now as at `version`. `sees` returns
    /// true for the modules that the client sees.
    func isUnchanged(
        for session: String?,
        seeing sees: (_ module: Int) -> Bool,
        since version: UInt64
    ) -> Bool {
        guard baseVersion <= version else { return false }
        let session = SessionHash(session)
        return sharedVersionsByModule.indices.allSatisfy { module in
            guard sees(module) else { return true }
            let own =
                versionsBySessionSlice[SliceOfSession(session: session, module: module)]
                ?? baseVersion
            return max(sharedVersionsByModule[module], own) <= version
        }
    }
}

/// The hash of a session's name. Many sessions that have ended stay recorded, in eight bytes each.
///
/// Two sessions with the same hash count as one session. A change for one session then also counts
/// for the other session. Therefore a true condition may fail, but a false condition never holds.
struct SessionHash: Hashable {
    private let hash: Int

    /// Makes the hash of a client's session. `nil` stands for all clients without a session, which
    /// count as one session.
    init(_ name: String?) { hash = ExactText(name ?? SessionName.shared).hashValue }
}
