public import StoreCore

/// Moves every completed item from the list to the archive.
public struct ArchiveCompleted: Action, Codable, Equatable {
    /// Makes the action; it has no fields.
    public init() {}
}

/// Takes an item out of the archive, back to the end of the list.
public struct UnarchiveItem: Action, Codable, Equatable {
    /// The item's place in the archive, from 0.
    public let index: Int

    /// Makes the action for the item at this place.
    public init(index: Int) {
        self.index = index
    }
}

/// Throws the archive away.
public struct ClearArchive: Action, Codable, Equatable {
    /// Makes the action; it has no fields.
    public init() {}
}
