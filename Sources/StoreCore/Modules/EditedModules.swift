/// A collection of the modules whose slices may have changed, as indices into
/// ``RootState/modules``. Also collects the readers to which changes of the actions are visible.
package final class EditedModules: @unchecked Sendable {
    // Safety: belongs to the Core's thread.

    /// True if sessions have slices of their own.
    private let hasSessions: Bool
    @exclusivity(unchecked) private var moduleIndices: Set<Int> = []
    /// The module that was inserted last; the next module is often the same.
    @exclusivity(unchecked) private var lastInsertedIndex: Int?
    @exclusivity(unchecked) private var readers = VersionReaders.sessions([])

    package init(hasSessions: Bool = false) { self.hasSessions = hasSessions }

    /// Adds the modules and the readers of a change. An action of `session` made the change.
    package func insert(_ change: Change, from session: String?) {
        change.edits.forEachModule { module in
            if lastInsertedIndex == module { return }
            lastInsertedIndex = module
            moduleIndices.insert(module)
        }
        guard hasSessions else { return }
        guard change.isVisibleToSessionOnly else { return readers = .everybody }
        readers.insert(session ?? SessionName.shared)
        change.edits.forEach { edit in
            if let owner = edit.key.session { readers.insert(owner) }
        }
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
        guard hasSessions else { return .everybody }
        defer { readers = .sessions([]) }
        return readers
    }
}

/// The readers that get a change with a version. All other readers get only the new version number.
package enum VersionReaders: Sendable, Equatable {
    case everybody
    /// The readers of these sessions; the state of all other sessions is unchanged.
    case sessions(Set<ExactText>)

    package mutating func insert(_ session: String) {
        guard case .sessions(var sessions) = self else { return }
        self = .sessions([])
        sessions.insert(ExactText(session))
        self = .sessions(sessions)
    }

    /// Returns the readers in this value or in `other`.
    package func union(_ other: VersionReaders) -> VersionReaders {
        guard case .sessions(let mine) = self, case .sessions(let theirs) = other else {
            return .everybody
        }
        return .sessions(mine.union(theirs))
    }
}
