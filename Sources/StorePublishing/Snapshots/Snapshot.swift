import StoreCore
package import StoreJSON
import StorePlatform
package import StoreTexts
package import StoreWire
import Synchronization

/// A published version of the state: encoded once, and shared by every reader.
package final class Snapshot: Sendable {
    package let tag: Tag
    /// The tag as an entity tag, in quotation marks.
    package let etag: String
    /// The slices of the state, in the order of its modules. Empty if the state is not made of
    /// modules.
    package let slices: [PublishedSlice]
    /// The layout of the slices in the state; `nil` if the state is not made of modules.
    let layout: SliceLayout?
    /// The number of encoded bytes that this version does not share with the version before. The
    /// server finds this number without joining rows, instances or other pieces.
    let ownBytes: Int
    /// The readers that get a change with this version. The property includes the readers of all
    /// actions since the previously encoded version.
    let readers: VersionReaders
    private let wholeState: Locked<Bytes?>
    private let lastFrame = Locked<(version: UInt64, frame: Bytes)?>(nil)
    /// The filtered snapshot for the viewer of the last request.
    private let lastFiltered = Locked<(viewer: Viewer, snapshot: Snapshot)?>(nil)

    package init(tag: Tag, state: Bytes) {
        self.tag = tag
        etag = tag.etag
        slices = []
        layout = nil
        ownBytes = state.count
        readers = .everybody
        wholeState = Locked(state)
    }

    /// Makes the snapshot of a version from its slices. The slices are joined when a reader asks
    /// for the whole state. `etag` is the entity tag of `tag`, if the caller has made the entity
    /// tag already.
    init(
        tag: Tag,
        etag: String? = nil,
        slices: [PublishedSlice],
        layout: SliceLayout,
        ownBytes: Int = 0,
        readers: VersionReaders = .everybody
    ) {
        self.tag = tag
        self.etag = etag ?? tag.etag
        self.slices = slices
        self.layout = layout
        self.ownBytes = ownBytes
        self.readers = readers
        wholeState = Locked(nil)
    }

    package var version: UInt64 { tag.version }

    /// True if sessions or users have slices of their own.
    package var hasOwners: Bool { layout?.readerDependentModules.isEmpty == false }

    /// True if a module has restricted slices.
    var hasRestrictedSlices: Bool { layout?.hasRestrictedSlices == true }

    /// Returns true if members or slices may be hidden from a viewer, by its sight or by the
    /// readers of slices. The viewer gets no event for a hidden change.
    package func isFiltered(for viewer: Viewer) -> Bool {
        viewer.sight != nil || (hasRestrictedSlices && viewer.owner != nil)
    }

    /// Returns a viewer without the names that no slice depends on. Viewers that see the same state
    /// are then equal.
    package func canonicalViewer(of viewer: Viewer) -> Viewer {
        viewer.keeping(
            session: layout?.hasSessions == true,
            owner: layout?.hasUsers == true,
            restricted: hasRestrictedSlices
        )
    }

    /// Returns the owner whose slice of a module a viewer reads. Returns `nil` if the slice has no
    /// owner, or if the viewer reads the slices of all owners.
    package func owner(of viewer: Viewer, _ module: Int) -> ExactText? {
        layout?.owner(of: viewer, module)
    }

    /// The names of the modules, in the order of the slices. Empty if the state is not made of
    /// modules.
    package var moduleNames: [String] { layout?.names ?? [] }

    /// True if some slices are hidden from the viewer for which this snapshot was filtered.
    package var isNarrowed: Bool { layout?.isNarrowed == true }

    /// Returns this snapshot, reduced to the members that the viewer may read. The slices of the
    /// viewer's session and user replace the slices of all owners. Returns `self` if the viewer
    /// sees everything.
    package func visible(to viewer: Viewer) -> Snapshot {
        let isOwner = viewer.session != nil || viewer.owner != nil
        guard viewer.sight != nil || (isOwner && hasOwners) else { return self }
        // Polling clients often ask for the same version. Most of these clients belong to one
        // session, or have no session. So the last filtered snapshot often fits the next request.
        let known = lastFiltered.withLock { last in
            last.flatMap { $0.viewer == viewer ? $0.snapshot : nil }
        }
        if let known { return known }
        let snapshot = filtered(for: viewer)
        lastFiltered.withLock { $0 = (viewer, snapshot) }
        return snapshot
    }

    private func filtered(for viewer: Viewer) -> Snapshot {
        // A state that is not made of modules has no members to show.
        let all = layout ?? SliceLayout([])
        var slices = slices
        for index in all.readerDependentModules {
            if let owner = all.owner(of: viewer, index) {
                slices[index] = slices[index].visible(to: owner.text)
            }
        }
        guard let sight = viewer.sight else { return with(slices, all, readers) }
        let layout = all.narrowed(to: sight)
        for index in slices.indices where !layout.shows(index) { slices[index] = .hidden }
        return with(slices, layout, readers)
    }

    /// Returns this version with more ``readers``: the readers of the earlier versions that this
    /// version replaces.
    func addingReaders(_ readers: VersionReaders) -> Snapshot {
        guard hasOwners, readers.union(self.readers) != self.readers else { return self }
        return layout.map { with(slices, $0, readers.union(self.readers)) } ?? self
    }

    private func with(
        _ slices: [PublishedSlice],
        _ layout: SliceLayout,
        _ readers: VersionReaders
    ) -> Snapshot {
        Snapshot(
            tag: tag,
            etag: etag,
            slices: slices,
            layout: layout,
            ownBytes: ownBytes,
            readers: readers
        )
    }

    /// The version that last changed any slice, or the first version that this server published.
    package var lastChangeVersion: UInt64 {
        layout == nil ? version : slices.reduce(0) { max($0, $1.version) }
    }

    /// Returns true if a reader's bytes differ between this version and an older version. The
    /// caller has already filtered both versions for the reader's viewer.
    func differs(from old: Snapshot) -> Bool {
        let (mine, theirs) = (lastChangeVersion, old.lastChangeVersion)
        return mine > theirs
            || (mine < theirs && zip(slices, old.slices).contains { $0.differs(from: $1) })
    }

    /// Returns the version number of an event for a reader. `changed` is the version of the last
    /// change in the reader's slices. `before` is the same number in the reader's previous version.
    ///
    /// After an owner ends, its reader gets the initial slices again, which are older than the
    /// owner's own slices. In this case, the result is the version of this snapshot, so that the
    /// versions of a stream never decrease.
    func eventVersion(changed: UInt64, after before: UInt64) -> UInt64 {
        changed < before ? version : changed
    }

    /// Returns the owners whose slices differ from an earlier version; `nil` if all owners may see
    /// a difference.
    func owners(changedSince old: Snapshot) -> Set<ExactText>? {
        var changed: Set<ExactText> = []
        for index in layout?.readerDependentModules ?? []
        where slices[index].version != old.slices[index].version {
            guard let owners = slices[index].owners(changedSince: old.slices[index]) else {
                return nil
            }
            for owner in owners { changed.insert(ExactText(owner)) }
        }
        return changed
    }

    /// The state as JSON; the bytes of a large state are a list of pieces. Any thread may read this
    /// property. The first reader joins the slices, and other readers wait for the result.
    package var state: Bytes {
        wholeState.withLock { whole in
            if let whole { return whole }
            let joined =
                layout?.joinedState(slices.map(\.bytes), ownBytes: unsharedJoinedByteCount)
                ?? SliceLayout.absentSliceJSON
            whole = joined
            return joined
        }
    }

    /// The number of bytes in ``state`` that no other version shares. Versions share no bytes of
    /// joined slices.
    private var unsharedJoinedByteCount: Int {
        slices.reduce(0) { $0 + ($1.version == version ? $1.bytes?.count ?? 0 : 0) }
    }

    /// Returns the frame of this state for the state stream, with `version` in its id. `version` is
    /// this snapshot's version, or an earlier version with the same state. All readers share the
    /// bytes.
    func frame(at version: UInt64) -> Bytes {
        lastFrame.withLock { event in
            if let event, event.version == version { return event.frame }
            let frame = SSEFrame.state(state, at: Tag(epoch: tag.epoch, version: version))
            event = (version, frame)
            return frame
        }
    }

    /// Returns the location of a part of the state, as precisely as possible without parsing.
    func location(of pointer: JSONPointer) -> PartLocation {
        guard let layout, let name = pointer.tokens.first else {
            return pointer == .root ? .resolved(state) : .inDocument(state, pointer)
        }
        guard let index = layout.index(of: name) else { return .resolved(nil) }
        return slices[index].location(of: pointer.withoutFirstToken)
    }

    /// Returns true if the pointer can be followed without joining many pieces first.
    package func isCheapToFind(_ pointer: JSONPointer) -> Bool {
        guard let layout else { return true }
        guard let name = pointer.tokens.first else { return slices.allSatisfy(\.isCheapToFind) }
        guard let index = layout.index(of: name) else { return true }
        return slices[index].isCheapToFind(forPartInside: pointer.tokens.count > 1)
    }
}

extension Snapshot {
    /// Returns true if a viewer reads the slice of a module, or one of its instances. A viewer
    /// reads all slices that are not restricted.
    package func isReadable(_ module: String, instance: String?, by viewer: Viewer) -> Bool {
        guard let layout, let client = viewer.readerName, let index = layout.index(of: module),
            let slices = slices[index].restrictedSlices
        else { return true }
        return slices.isReadable(instance, by: client)
    }
}

// The timers of the schedule.

extension Snapshot {
    private var schedule: EncodedPieces? {
        layout?.index(of: Schedule.name).flatMap { slices[$0].pieces }
    }

    /// The names of the timers, sorted; empty for a state without a schedule.
    package var timerNames: [String] { schedule?.ids ?? [] }

    /// Returns the entry of a timer as JSON; `nil` if there is no such timer.
    package func timer(named name: String) -> Bytes? { schedule?[name] }
}

// The users that own slices.

extension Snapshot {
    /// Returns the users that own slices, sorted by name, with the names of the modules. The list
    /// begins with the first user after `after`. Cost: one step for each owner.
    package func users(after: String?, limit: Int) -> [(principal: String, modules: [String])] {
        var modulesByUser: [ExactText: [String]] = [:]
        let first = after.map { ExactText($0) }
        for (name, slices) in userSlices {
            for owner in slices.owners {
                guard let user = OwnerName.principal(of: owner).map({ ExactText($0) }) else {
                    continue
                }
                if let first, user <= first { continue }
                modulesByUser[user, default: []].append(name)
            }
        }
        return modulesByUser.sorted { $0.key < $1.key }.prefix(limit).map {
            ($0.key.text, $0.value)
        }
    }

    /// Returns true if a user owns slices, or timers of slices that the user has not changed.
    package func hasSlices(ofUser principal: String) -> Bool {
        let owner = OwnerName.user(principal)
        return userSlices.contains { $0.slices[owner] != nil }
            || schedule?.hasName(withPrefix: TimerName.prefix(ofOwner: owner)) == true
    }

    private var userSlices: [(name: String, slices: OwnedSlices)] {
        guard let layout else { return [] }
        return layout.userModules.compactMap { index in
            slices[index].ownedSlices.map { (layout.names[index], $0) }
        }
    }
}

extension JSONPointer {
    /// The pointer within the part that the first token leads to.
    var withoutFirstToken: JSONPointer { JSONPointer(tokens: Array(tokens.dropFirst())) }
}

/// The location of a part of the state.
enum PartLocation {
    /// The bytes of the part; `nil` if the pointer leads nowhere.
    case resolved(Bytes?)
    /// A document that contains the part, and the pointer in this document. The document has to be
    /// parsed.
    case inDocument(Bytes, JSONPointer)
}

/// A box for the newest published version. The Core's thread swaps the version, and any thread may
/// read the version.
///
/// The class is not generic, so that readers need no look-up of generic metadata.
package final class NewestSnapshot: Sendable {
    private let newest: Locked<Snapshot>

    package init(_ first: Snapshot) { newest = Locked(first) }

    package var value: Snapshot { newest.withLock { $0 } }

    /// Publishes a version, which readers get from now on.
    func swap(for newer: Snapshot) { newest.withLock { $0 = newer } }
}
