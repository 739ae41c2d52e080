public import StoreCore

/// A list of things to do, and those that were done and put away.
public struct Todos: Module {
    /// The list and the archive.
    public struct State: ModuleState {
        /// The most items that the list and the archive hold each.
        public static let itemsMax = 10_000

        /// The list, in the order in which the items were added.
        public var items: [Item]
        /// What was archived, oldest first; absent until something is.
        public var archived: [Item]?

        /// Makes a list, of four things to do where nothing is said.
        public init(items: [Item] = Self.everybodys, archived: [Item]? = nil) {
            self.items = items
            self.archived = archived
        }

        /// Four things to do.
        public static let everybodys = [
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
        /// Whether it is.
        public var completed: Bool

        /// Makes an item, not yet completed unless said otherwise.
        public init(text: String, completed: Bool = false) {
            self.text = text
            self.completed = completed
        }
    }

    /// What may be asked of it.
    public static let dispatchables: [any Dispatchable.Type] = [
        AddItem.self, EditItem.self, CompleteItem.self, ReopenItem.self, DeleteItem.self,
        ArchiveCompleted.self, UnarchiveItem.self, ClearArchive.self,
    ]

    /// Makes the module.
    public init() {}
}
