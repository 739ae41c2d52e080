public import StoreCore
public import TodosInterface

/// Applies the list's actions.
///
/// It has no reducer of its own. Each of its ``dispatchables`` is an action that contains the part
/// of the reducer for itself, so a new action is one new type and one name in that list.
struct TodosModule: Module {
    typealias Interface = Todos

    static let dispatchables: [any Dispatchable.Type] = [
        AddItem.self, EditItem.self, CompleteItem.self, ReopenItem.self, DeleteItem.self,
        ArchiveCompleted.self, UnarchiveItem.self, ClearArchive.self,
    ]
}

extension Todos {
    /// The module, for the program that mounts it.
    public static var module: some Module<State> { TodosModule() }
}
