public import StoreCore

/// A module of the default store: a list of things to do, and an archive of those that are done.
public enum Todos: ModuleInterface {
    /// The slice: the list and the archive.
    public struct State: ModuleState {
        /// The most items that the list and the archive hold each.
        public static let itemsMax = 10_000

        /// The list, in the order in which the items were added.
        public var items: [Item]
        /// What was archived, oldest first; `nil` until an item is archived for the first time.
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

    /// One thing to do.
    public struct Item: ModuleState {
        /// What is to be done.
        public var text: String
        /// Whether it is done.
        public var completed: Bool

        /// Makes an item, by default one that is not completed.
        public init(text: String, completed: Bool = false) {
            self.text = text
            self.completed = completed
        }
    }
    /// What may be asked of the list and of the archive. An item is named by its place, from 0.
    public enum Action: ModuleAction {
        /// Adds an item at the end of the list.
        case addItem(text: String)
        /// Changes the text of an item.
        case editItem(index: Int, text: String)
        /// Marks an item as completed; one that is already stays so.
        case completeItem(index: Int)
        /// Marks an item as not completed.
        case reopenItem(index: Int)
        /// Takes an item off the list for good.
        case deleteItem(index: Int)
        /// Moves every completed item from the list to the archive.
        case archiveCompleted
        /// Takes an item out of the archive, back to the end of the list.
        case unarchiveItem(index: Int)
        /// Throws the archive away.
        case clearArchive

        /// Whole wire names: clients and logs have them, so they stay.
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
