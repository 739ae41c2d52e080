public import StoreCore

/// The list's next state.
///
/// - Throws: `Refusal` for an index outside the list, and where the list or the archive is full
///   (``TodosState/itemsMax``).
public func todosReducer(_ state: inout TodosState, _ action: any Action) throws {
    switch action {
    case let action as AddItem:
        guard state.items.count < TodosState.itemsMax else {
            throw Refusal(
                reason: "The list is full at \(TodosState.itemsMax) items; delete or archive some.",
                pointer: nil
            )
        }
        state.items.append(TodosState.Item(text: action.text))
    case let action as CompleteItem:
        try check(action.index, in: state)
        state.items[action.index].completed = true
    case let action as DeleteItem:
        try check(action.index, in: state)
        state.items.remove(at: action.index)
    case is ArchiveCompleted:
        try archive(&state)
    default:
        break
    }
}

private func archive(_ state: inout TodosState) throws {
    let completed = state.items.filter(\.completed)
    guard !completed.isEmpty else { return }
    let archived = (state.archived ?? []) + completed
    guard archived.count <= TodosState.itemsMax else {
        throw Refusal(
            reason: "The archive would hold \(archived.count) items; "
                + "it ends at \(TodosState.itemsMax).",
            pointer: nil
        )
    }
    state.archived = archived
    state.items.removeAll(where: \.completed)
}

private func check(_ index: Int, in state: TodosState) throws {
    guard state.items.indices.contains(index) else {
        let allowed =
            state.items.isEmpty ? "the list is empty" : "allowed are 0...\(state.items.count - 1)"
        throw Refusal(reason: "There is no item \(index); \(allowed).", pointer: "/index")
    }
}
