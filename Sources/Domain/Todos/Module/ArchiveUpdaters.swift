import StoreCore
public import StorePatterns
public import TodosInterface

extension ArchiveCompleted: StateUpdater {
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

extension UnarchiveItem: StateUpdater {
    /// Refused where there is no such item, and where the list is full.
    public func updateState(_ state: inout Todos.State) throws {
        var archived = state.archived ?? []
        try archived.check(index)
        try state.add(archived.remove(at: index))
        state.archived = archived
    }
}

extension ClearArchive: StateUpdater {
    /// Never refused.
    public func updateState(_ state: inout Todos.State) { state.archived = nil }
}
