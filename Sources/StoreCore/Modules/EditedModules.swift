/// A collection of the modules whose slices may have changed, as indices into
/// ``RootState/modules``. The collection also has the readers to which the changes are visible.
package final class EditedModules: @unchecked Sendable {
    // Safety: belongs to the Core's thread.

    /// True if sessions or users have slices of their own.
    private let hasOwnedSlices: Bool
    @exclusivity(unchecked) private var moduleIndices: Set<Int> = []
    /// The module that was inserted last; the next module is often the same.
    @exclusivity(unchecked) private var lastInsertedIndex: Int?
    @exclusivity(unchecked) private var readers = VersionReaders.owners([])

    package init(hasOwnedSlices: Bool = false) { self.hasOwnedSlices = hasOwnedSlices }

    /// Adds the modules and the readers of a change. An action of `session` made the change.
    package func insert(_ change: Change, from session: String?) {
        change.edits.forEachModule { module in
            if lastInsertedIndex == module { return }
            lastInsertedIndex = module
            moduleIndices.insert(module)
        }
        guard hasOwnedSlices else { return }
        guard change.isVisibleToSenderOnly else { return readers = .everybody }
        var isOfUser = false
        change.edits.forEach { edit in
            guard let owner = edit.key.owner else { return }
            readers.insert(owner)
            if !OwnerName.isSession(owner) { isOfUser = true }
        }
        // The session `shared` has clients of many users.
        if !isOfUser { readers.insert(session ?? SessionName.shared) }
    }

    /// Adds modules whose slices may have changed.
    package func insert(_ modules: Range<Int>) {
        moduleIndices.formUnion(modules)
        lastInsertedIndex = nil
    }

    /// Returns the indices of the modules in order, and removes them from this collection.
    package func takeModuleIndices() -> [Int] {
        lastInsertedIndex = nil
        if moduleIndices.count == 0 { return [] }
        defer { moduleIndices.removeAll(keepingCapacity: true) }
        return moduleIndices.sorted()
    }

    /// Returns the readers to which changes since the last call are visible, and removes these
    /// readers from this collection.
    package func takeReaders() -> VersionReaders {
        guard hasOwnedSlices else { return .everybody }
        defer { readers = .owners([]) }
        return readers
    }
}

/// The readers to which the change of a version is visible. All other readers get only the new
/// version number.
package enum VersionReaders: Sendable, Equatable {
    case everybody
    /// The clients with these sessions, and the clients that are these users or visitors. The state
    /// of all other clients is unchanged.
    case owners(Set<ExactText>)

    package mutating func insert(_ owner: String) {
        guard case .owners(var owners) = self else { return }
        self = .owners([])
        owners.insert(ExactText(owner))
        self = .owners(owners)
    }

    /// Returns the readers in this value or in `other`.
    package func union(_ other: VersionReaders) -> VersionReaders {
        guard case .owners(let mine) = self, case .owners(let theirs) = other else {
            return .everybody
        }
        return .owners(mine.union(theirs))
    }
}
