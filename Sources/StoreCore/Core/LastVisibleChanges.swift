/// The versions that last changed the slices that each client sees. A client sees the shared
/// slices, and the slices of its session and its user, in the modules that the client's role sees.
///
/// Only the thread that drains the mailbox uses this value.
struct LastVisibleChanges {
    /// The maximum number of owners that are recorded. Beyond this bound, all entries are dropped,
    /// and `baseVersion` becomes the current version.
    static let ownersMax = 32_768

    /// The changes up to this version are unknown.
    private var baseVersion: UInt64
    /// The version that last changed a shared slice.
    private var sharedVersion: UInt64
    private var versionsByOwner: [OwnerHash: UInt64] = [:]
    /// The versions for each module; `nil` if all clients see all modules and no condition has
    /// needed these versions.
    private var moduleChanges: LastModuleChanges?
    /// The modules with restricted slices.
    private let restrictedModules: RestrictedModules
    /// The version up to which all steps are recorded.
    private(set) var notedVersion: UInt64

    init(
        after version: UInt64,
        byModule: Bool,
        restrictedModules: RestrictedModules = RestrictedModules()
    ) {
        self.restrictedModules = restrictedModules
        (baseVersion, sharedVersion, notedVersion) = (version, version, version)
        moduleChanges = byModule ? LastModuleChanges(after: version) : nil
    }

    /// Begins to record the versions of each module, unless the recording has begun already.
    mutating func beginModuleChanges() {
        if moduleChanges == nil { moduleChanges = LastModuleChanges(after: notedVersion) }
    }

    /// Records the change of the action that made `version`. Successive calls have successive
    /// versions.
    mutating func note(_ change: Change, at version: UInt64) {
        notedVersion = version
        guard change.changesState else { return }
        change.edits.forEach { edit in
            guard edit.changesSlice else { return }
            guard !restrictedModules.contains(edit.moduleIndex) else {
                let isHidden = restrictedModules.hidden.contains(edit.moduleIndex)
                let readers = isHidden ? [] : edit.key.readers ?? []
                noteRestricted(readers, of: edit.moduleIndex, at: version)
                return
            }
            moduleChanges?.note(edit, at: version)
            if let owner = edit.key.owner {
                versionsByOwner[OwnerHash(owner)] = version
            } else {
                sharedVersion = version
            }
        }
        guard versionsByOwner.count > Self.ownersMax else { return }
        versionsByOwner = [:]
        baseVersion = version
    }

    /// Records a change of slices that only some clients may read.
    private mutating func noteRestricted(
        _ readers: [Readers],
        of module: Int,
        at version: UInt64
    ) {
        for name in [readers.flatMap(\.names), [Self.operatorName]].joined() {
            versionsByOwner[OwnerHash(name)] = version
            moduleChanges?.note(SliceEdit(module, SliceKey(owner: name)), at: version)
        }
    }

    /// The name under which changes of restricted slices are recorded for senders that read all
    /// slices. No reader has this name.
    private static let operatorName = ""

    /// Lowers all later versions to `version`: the batch with these versions was rolled back.
    mutating func forget(after version: UInt64) {
        guard notedVersion > version else { return }
        notedVersion = version
        moduleChanges?.forget(after: version)
        sharedVersion = min(sharedVersion, version)
        for (owner, changed) in versionsByOwner where changed > version {
            versionsByOwner[owner] = version
        }
    }

    /// True if a client of this session and principal sees the same state now as at `version`.
    /// `readsAll` is true for a sender that reads all restricted slices. `sees` returns true for
    /// the modules that the client sees; `nil` stands for all modules.
    func isUnchanged(
        for session: String?,
        as principal: ActionPrincipal?,
        readingAll readsAll: Bool = false,
        seeing sees: ((_ module: Int) -> Bool)?,
        since version: UInt64
    ) -> Bool {
        let owners = owners(of: principal, in: session, readingAll: readsAll)
        if let sees {
            return moduleChanges?.isUnchanged(for: owners, seeing: sees, since: version) == true
        }
        return max(sharedVersion, baseVersion) <= version
            && owners.allSatisfy { versionsByOwner[$0] ?? baseVersion <= version }
    }

    /// Returns the owners whose slices a client sees: its session, and its user or visitor. If
    /// there are restricted slices, the result also has the names under which the client reads
    /// these slices.
    private func owners(
        of principal: ActionPrincipal?,
        in session: String?,
        readingAll readsAll: Bool
    ) -> [OwnerHash] {
        let owner = OwnerName.ofClient(as: principal?.name, in: session)
        let own = [OwnerHash(session ?? SessionName.shared), OwnerHash(owner)]
        guard !restrictedModules.restricted.isEmpty else { return own }
        if readsAll { return own + [OwnerHash(Self.operatorName)] }
        let names = ReaderName.names(ofClient: ReaderName.client(owner, role: principal?.role))
        return own + names.dropFirst().map { OwnerHash($0) }
    }
}

/// The versions that last changed the shared slice and the owned slices of each module. The engine
/// needs these versions for clients that see only some modules, and for conditions with named
/// members.
struct LastModuleChanges {
    /// The maximum number of owned slices that are recorded. Beyond this bound, all entries are
    /// dropped, and `baseVersion` becomes the current version.
    static let slicesMax = 32_768

    private struct OwnedSlice: Hashable {
        let owner: OwnerHash
        let moduleIndex: Int
    }

    /// The changes up to this version are unknown.
    private var baseVersion: UInt64
    /// The versions of the shared slices, by module index. A module after the end of the array has
    /// the version `baseVersion`.
    private var sharedVersionsByModule: [UInt64] = []
    private var versionsByOwnedSlice: [OwnedSlice: UInt64] = [:]

    init(after version: UInt64) { baseVersion = version }

    /// Records the change of a slice by the action that made `version`.
    mutating func note(_ edit: SliceEdit, at version: UInt64) {
        while sharedVersionsByModule.count <= edit.moduleIndex {
            sharedVersionsByModule.append(baseVersion)
        }
        guard let owner = edit.key.owner else {
            sharedVersionsByModule[edit.moduleIndex] = version
            return
        }
        versionsByOwnedSlice[OwnedSlice(owner: OwnerHash(owner), moduleIndex: edit.moduleIndex)] =
            version
        guard versionsByOwnedSlice.count > Self.slicesMax else { return }
        versionsByOwnedSlice = [:]
        baseVersion = version
    }

    /// Lowers all later versions to `version`: the batch with these versions was rolled back.
    mutating func forget(after version: UInt64) {
        for module in sharedVersionsByModule.indices {
            sharedVersionsByModule[module] = min(sharedVersionsByModule[module], version)
        }
        for (slice, changed) in versionsByOwnedSlice where changed > version {
            versionsByOwnedSlice[slice] = version
        }
    }

    /// True if a client that has the slices of these owners sees the same state now as at
    /// `version`. `sees` returns true for the modules that the client sees.
    func isUnchanged(
        for owners: [OwnerHash],
        seeing sees: (_ module: Int) -> Bool,
        since version: UInt64
    ) -> Bool {
        guard baseVersion <= version else { return false }
        return sharedVersionsByModule.indices.allSatisfy { module in
            guard sees(module) else { return true }
            return sharedVersionsByModule[module] <= version
                && owners.allSatisfy {
                    versionsByOwnedSlice[OwnedSlice(owner: $0, moduleIndex: module)] ?? baseVersion
                        <= version
                }
        }
    }
}

/// The hash of an owner's name. Owners that have ended stay recorded, so each name is stored in
/// only eight bytes.
///
/// Two owners with the same hash count as one owner. A change for one owner then also counts for
/// the other owner. A condition that is met may therefore fail, but a violated condition never
/// passes.
struct OwnerHash: Hashable {
    private let hash: Int

    init(_ name: String) { hash = ExactText(name).hashValue }
}
