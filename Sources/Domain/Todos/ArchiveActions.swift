import StoreCore
public import StorePatterns

/// Moves every completed item from the list to the archive.
public struct ArchiveCompleted: StateUpdater, Equatable {
    /// Makes the action; it has no fields.
    public init() {}

    /// Refused where the archive would be too full.
    public func updateState(_ state: inout Todos.State) throws {
        let completed = state.items.filter(\.completed)
        guard !completed.isEmpty else { return }
        let archived = (state.archived ?? []) + completed
        guard archived.count <= Todos.State.itemsMax else {
            throw Refusal(
                reason: "The archive would hold \(archived.count) items; "
                    + "it ends at \(Todos.State.itemsMax)."
            )
        }
        state.archived = archived
        state.items.removeAll(where: \.completed)
    }
}

/// Takes an item out of the archive, back to the end of the list.
public struct UnarchiveItem: StateUpdater, Equatable {
    /// The item's place in the archive, from 0.
    public let index: Int

    /// Makes the action for the item at this place.
    public init(index: Int) {
        self.index = index
    }

    /// Refused where there is no such item, and where the list is full.
    public func updateState(_ state: inout Todos.State) throws {
        var archived = state.archived ?? []
        try archived.check(index)
        try state.add(archived.remove(at: index))
        state.archived = archived
    }
}

/// Throws the archive away.
public struct ClearArchive: StateUpdater, Equatable {
    /// Makes the action; it has no fields.
    public init() {}

    /// Never refused.
    public func updateState(_ state: inout Todos.State) { state.archived = nil }
}
