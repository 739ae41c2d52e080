public import DefaultTodosInterface
public import StoreCore

struct TodosModule: Module {
    typealias Interface = Todos

    /// Applies an action. Refuses the action if its item does not exist, or if the list or the
    /// archive would have too many items.
    func reduce(_ state: inout State, _ action: Todos.Action) throws {
        switch action {
        case .addItem(let text): try state.add(Todos.Item(text: text))
        case .editItem(let index, let text):
            try state.items.requireItem(at: index)
            state.items[index].text = text
        case .completeItem(let index):
            try state.items.requireItem(at: index)
            state.items[index].completed = true
        case .reopenItem(let index):
            try state.items.requireItem(at: index)
            state.items[index].completed = false
        case .deleteItem(let index):
            try state.items.requireItem(at: index)
            state.items.remove(at: index)
        case .archiveCompleted: try state.archiveCompleted()
        case .unarchiveItem(let index):
            var archived = state.archived ?? []
            try archived.requireItem(at: index)
            try state.add(archived.remove(at: index))
            state.archived = archived
        case .clearArchive: state.archived = nil
        }
    }
}

extension [Todos.Item] {
    fileprivate func requireItem(at index: Int) throws {
        guard indices.contains(index) else {
            let allowed = isEmpty ? "the list is empty" : "allowed are 0...\(count - 1)"
            throw Refusal(reason: "There is no item \(index); \(allowed).", pointer: "/index")
        }
    }
}

extension Todos.State {
    fileprivate mutating func add(_ item: Todos.Item) throws {
        guard items.count < Self.itemsMax else {
            throw Refusal(
                reason: "The list is full at \(Self.itemsMax) items; delete or archive some."
            )
        }
        items.append(item)
    }

    fileprivate mutating func archiveCompleted() throws {
        let completed = items.filter(\.completed)
        guard !completed.isEmpty else { return }
        let archive = (archived ?? []) + completed
        guard archive.count <= Self.itemsMax else {
            throw Refusal(
                reason: "The archive would hold \(archive.count) items; at most \(Self.itemsMax) "
                    + "are allowed."
            )
        }
        archived = archive
        items.removeAll(where: \.completed)
    }
}

extension Todos {
    /// The module, for the program that mounts it.
    public static var module: some Module<State> { TodosModule() }
}
