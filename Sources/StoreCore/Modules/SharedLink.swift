/// A link from a module, the reader, to the shared value of another module, the owner.
struct SharedLink<Root: RootState>: Sendable {
    let ownerName: String
    let valueType: any Any.Type
    /// True if the key path of the copy begins at the type of the reader's slice.
    let matchesReaderSlice: Bool
    /// The function that returns the keys of all slices of the reader.
    let allReaderKeys: @Sendable (Root) -> [SliceKey]
    /// True if the reader has instances.
    private let readerHasInstances: Bool
    /// The function that updates the copy in one slice of the reader, and returns true if the slice
    /// changed.
    let updateCopy: @Sendable (inout Root, any BoundModule<Root>, SliceKey, ByteComparison?) -> Bool

    /// Makes a link that updates no copies, for a reader whose slice does not have the key path's
    /// root type.
    init<Owner: SharingInterface>(_ owner: Owner.Type) {
        self.ownerName = Owner.name
        valueType = Owner.SharedValue.self
        matchesReaderSlice = false
        readerHasInstances = false
        allReaderKeys = { _ in [] }
        updateCopy = { _, _, _, _ in false }
    }

    init<State: ModuleState, Owner: SharingInterface>(
        _ owner: Owner.Type,
        at place: some SlicePlace<Root, State>,
        _ path: any WritableKeyPath<State, Shared<Owner.SharedValue>> & Sendable
    ) {
        self.ownerName = Owner.name
        valueType = Owner.SharedValue.self
        matchesReaderSlice = true
        readerHasInstances = place.cardinality == .instances
        allReaderKeys = { place.keys($0) }
        updateCopy = { root, owner, key, comparison in
            guard var state = place.read(root, key) else { return false }
            let old = state[keyPath: path]
            state[keyPath: path].value = owner.sharedValue(root, with: key) as? Owner.SharedValue
            let new = state[keyPath: path]
            guard !isIdentical(old, new) else { return false }
            place.write(state, &root, key)
            return differs(old, new, comparison)
        }
    }

    /// Returns the keys of the reader's slices that read from the owner's slice of this key. For a
    /// key without an owner, returns the keys of all slices of the reader.
    func readerKeys(_ root: Root, readingFrom key: SliceKey) -> [SliceKey] {
        guard let owner = key.owner else { return allReaderKeys(root) }
        // If the session or the user has no stored slice yet, the update stores a slice with the
        // copy.
        guard readerHasInstances else { return [SliceKey(owner: owner)] }
        return allReaderKeys(root).filter { $0.owner?.isSame(as: owner) == true }
    }
}

// Shared values (``SharingModule``): the slice of a reader has a copy of the owner's value. Each
// action on the owner or on the reader updates the copy.

extension ModuleMachine {
    /// A copy of one module's shared value in the slice of another module. `readerIndex` and
    /// `ownerIndex` are indices into ``modules``.
    struct ResolvedSharedLink: Sendable {
        let readerIndex: Int
        let ownerIndex: Int
        let ownerModule: any BoundModule<Root>
        let sharedLink: SharedLink<Root>
    }

    /// Fills in all copies in a state that is not the result of an action: the initial state or a
    /// snapshot.
    package func fillSharedCopies(in state: inout Root) {
        for link in sharedLinksByModule.joined() {
            for key in link.sharedLink.allReaderKeys(state) { _ = updateCopy(link, key, &state) }
        }
    }

    /// Updates the copies of these links after an action on a slice of the module. Adds each
    /// changed slice of a reader to `change`.
    ///
    /// If all clients share the owner's slice, and a reader has many slices, all slices of the
    /// reader get the new value.
    func updateCopies(
        _ links: [ResolvedSharedLink],
        of module: Int,
        _ key: SliceKey,
        _ state: inout Root,
        _ change: inout Change
    ) {
        for link in links {
            if link.readerIndex == module {
                if updateCopy(link, key, &state) { change.add(SliceEdit(link.readerIndex, key)) }
                continue
            }
            let keys = link.sharedLink.readerKeys(state, readingFrom: key)
            change.add(keys.filter { updateCopy(link, $0, &state) }, of: link.readerIndex)
        }
    }

    /// Updates the copy in one slice. Returns true if the slice changed.
    private func updateCopy(_ link: ResolvedSharedLink, _ key: SliceKey, _ state: inout Root)
        -> Bool
    {
        link.sharedLink.updateCopy(&state, link.ownerModule, key, comparison)
    }

    /// Returns, for each module, the links whose copies an action on the module may change. An
    /// action on the owner may change its value. An action on the reader may start the reader's
    /// slice, which begins with an empty copy.
    ///
    /// - Throws: ``ModuleError`` if the owner of a link cannot share its value with the reader.
    static func makeSharedLinks(of modules: Root.Modules) throws(ModuleError)
        -> [[ResolvedSharedLink]]
    {
        var links: [[ResolvedSharedLink]] = Array(repeating: [], count: modules.count)
        for (reader, mount) in modules.enumerated() {
            for shared in mount.sharedLinks {
                guard let owner = modules.firstIndex(where: { $0.name == shared.ownerName }),
                    owner != reader
                else { throw ModuleError.unknownOwner(shared.ownerName, reader: mount.name) }
                guard shared.matchesReaderSlice else {
                    throw ModuleError.foreignCopy(of: shared.ownerName, reader: mount.name)
                }
                guard let sharing = modules[owner].boundModule,
                    sharing.sharedType == shared.valueType
                else {
                    throw ModuleError.sharesNothing(shared.ownerName, reader: mount.name)
                }
                guard modules[owner].slicePlace.cardinality != .instances else {
                    throw ModuleError.ownerHasInstances(shared.ownerName, reader: mount.name)
                }
                let (mine, theirs) = (mount.slicePlace, modules[owner].slicePlace)
                guard !theirs.isOwned || mine.ownership == theirs.ownership else {
                    throw theirs.ownership == .principal
                        ? ModuleError.ownerIsPerPrincipal(shared.ownerName, reader: mount.name)
                        : ModuleError.ownerIsPerSession(shared.ownerName, reader: mount.name)
                }
                let link = ResolvedSharedLink(
                    readerIndex: reader,
                    ownerIndex: owner,
                    ownerModule: sharing,
                    sharedLink: shared
                )
                links[owner].append(link)
                links[reader].append(link)
            }
        }
        return links
    }
}
