import StoreCore
public import StorePatterns
public import TodosInterface

extension AddItem: StateUpdater {
    /// Refused where the list is full.
    public func updateState(_ state: inout Todos.State) throws {
        try state.add(Todos.Item(text: text))
    }
}

extension EditItem: StateUpdater {
    /// Refused where there is no such item.
    public func updateState(_ state: inout Todos.State) throws {
        try state.items.check(index)
        state.items[index].text = text
    }
}

extension CompleteItem: StateUpdater {
    /// Refused where there is no such item.
    public func updateState(_ state: inout Todos.State) throws {
        try state.items.check(index)
        state.items[index].completed = true
    }
}

extension ReopenItem: StateUpdater {
    /// Refused where there is no such item.
    public func updateState(_ state: inout Todos.State) throws {
        try state.items.check(index)
        state.items[index].completed = false
    }
}

extension DeleteItem: StateUpdater {
    /// Refused where there is no such item.
    public func updateState(_ state: inout Todos.State) throws {
        try state.items.check(index)
        state.items.remove(at: index)
    }
}

extension [Todos.Item] {
    func check(_ index: Int) throws {
        guard indices.contains(index) else {
            let allowed = isEmpty ? "the list is empty" : "allowed are 0...\(count - 1)"
            throw Refusal(reason: "There is no item \(index); \(allowed).", pointer: "/index")
        }
    }
}

extension Todos.State {
    mutating func add(_ item: Todos.Item) throws {
        guard items.count < Self.itemsMax else {
            throw Refusal(
                reason: "The list is full at \(Self.itemsMax) items; delete or archive some."
            )
        }
        items.append(item)
    }
}
