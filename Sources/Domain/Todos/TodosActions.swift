import StoreCore
public import StorePatterns

/// Adds an item at the end of the list.
public struct AddItem: StateUpdater, Equatable {
    /// What is to be done.
    public let text: String

    /// Makes the action for this text.
    public init(text: String) {
        self.text = text
    }

    /// Refused where the list is full.
    public func updateState(_ state: inout Todos.State) throws {
        try state.add(Todos.Item(text: text))
    }
}

/// Changes the text of an item.
public struct EditItem: StateUpdater, Equatable {
    /// The item's place in the list, from 0.
    public let index: Int
    /// The new text.
    public let text: String

    /// Makes the action for the item at this place.
    public init(index: Int, text: String) {
        self.index = index
        self.text = text
    }

    /// Refused where there is no such item.
    public func updateState(_ state: inout Todos.State) throws {
        try state.items.check(index)
        state.items[index].text = text
    }
}

/// Marks an item as completed; one that is already stays so.
public struct CompleteItem: StateUpdater, Equatable {
    /// The item's place in the list, from 0.
    public let index: Int

    /// Makes the action for the item at this place.
    public init(index: Int) {
        self.index = index
    }

    /// Refused where there is no such item.
    public func updateState(_ state: inout Todos.State) throws {
        try state.items.check(index)
        state.items[index].completed = true
    }
}

/// Marks an item as not completed.
public struct ReopenItem: StateUpdater, Equatable {
    /// The item's place in the list, from 0.
    public let index: Int

    /// Makes the action for the item at this place.
    public init(index: Int) {
        self.index = index
    }

    /// Refused where there is no such item.
    public func updateState(_ state: inout Todos.State) throws {
        try state.items.check(index)
        state.items[index].completed = false
    }
}

/// Takes an item off the list for good.
public struct DeleteItem: StateUpdater, Equatable {
    /// The item's place in the list, from 0.
    public let index: Int

    /// Makes the action for the item at this place.
    public init(index: Int) {
        self.index = index
    }

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
