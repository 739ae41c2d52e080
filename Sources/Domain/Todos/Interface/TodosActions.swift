public import StoreCore

/// Adds an item at the end of the list.
public struct AddItem: Action, Codable, Equatable {
    /// What is to be done.
    public let text: String

    /// Makes the action for this text.
    public init(text: String) {
        self.text = text
    }
}

/// Changes the text of an item.
public struct EditItem: Action, Codable, Equatable {
    /// The item's place in the list, from 0.
    public let index: Int
    /// The new text.
    public let text: String

    /// Makes the action for the item at this place.
    public init(index: Int, text: String) {
        self.index = index
        self.text = text
    }
}

/// Marks an item as completed; one that is already stays so.
public struct CompleteItem: Action, Codable, Equatable {
    /// The item's place in the list, from 0.
    public let index: Int

    /// Makes the action for the item at this place.
    public init(index: Int) {
        self.index = index
    }
}

/// Marks an item as not completed.
public struct ReopenItem: Action, Codable, Equatable {
    /// The item's place in the list, from 0.
    public let index: Int

    /// Makes the action for the item at this place.
    public init(index: Int) {
        self.index = index
    }
}

/// Takes an item off the list for good.
public struct DeleteItem: Action, Codable, Equatable {
    /// The item's place in the list, from 0.
    public let index: Int

    /// Makes the action for the item at this place.
    public init(index: Int) {
        self.index = index
    }
}
