public import StoreCore

/// A module of the default store: a list of things to do, and an archive of done things.
public enum Todos: ModuleInterface {
    /// The slice: the list and the archive.
    public struct State: ModuleState {
        /// The maximum number of items in the list, and of items in the archive.
        public static let itemsMax = 10_000

        /// The list, in the order in which the items were added.
        public var items: [Item]
        /// The archived items, oldest first; `nil` before the first item is archived, and after
        /// ``Todos/Action/clearArchive``.
        public var archived: [Item]?

        /// Makes a list, by default with four examples and no archive.
        public init(items: [Item] = Self.examples, archived: [Item]? = nil) {
            self.items = items
            self.archived = archived
        }

        /// The items with which the list of the default store begins.
        public static let examples = [
            Item(text: "Pet my unicorn"),
            Item(text: "Become a doctor.\nChange last name to Acula"),
            Item(text: "Hire two private investigators.\nGet them to follow each other"),
            Item(text: "Visit mars"),
        ]
    }

    /// A thing to do.
    public struct Item: ModuleState {
        /// The text that describes the thing.
        public var text: String
        /// True if the thing is done.
        public var completed: Bool

        /// Makes an item, which is not completed by default.
        public init(text: String, completed: Bool = false) {
            self.text = text
            self.completed = completed
        }
    }
    /// Actions on the list and the archive. The index of an item is its position in the list or the
    /// archive, from 0.
    public enum Action: ModuleAction {
        /// Adds an item at the end of the list.
        case addItem(text: String)
        /// Changes the text of an item.
        case editItem(index: Int, text: String)
        /// Marks an item as completed; a completed item stays completed.
        case completeItem(index: Int)
        /// Marks an item as not completed.
        case reopenItem(index: Int)
        /// Removes an item from the list without moving it to the archive.
        case deleteItem(index: Int)
        /// Moves every completed item from the list to the archive.
        case archiveCompleted
        /// Moves an item from the archive to the end of the list.
        case unarchiveItem(index: Int)
        /// Removes the archive with all of its items.
        case clearArchive

        /// The whole wire names. They must not change, because clients and logs have these names.
        enum CodingKeys: String, CodingKey {
            case addItem = "/AddItem"
            case editItem = "/EditItem"
            case completeItem = "/CompleteItem"
            case reopenItem = "/ReopenItem"
            case deleteItem = "/DeleteItem"
            case archiveCompleted = "/ArchiveCompleted"
            case unarchiveItem = "/UnarchiveItem"
            case clearArchive = "/ClearArchive"
        }
    }
}
