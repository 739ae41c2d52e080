/// A list of things to do, and those that were done and put away.
public struct TodosState: Codable, Equatable, Sendable {
    /// The most items that the list and the archive hold each.
    public static let itemsMax = 10_000

    /// The list, in the order in which the items were added.
    public var items: [Item]
    /// What was archived, oldest first; absent until something is.
    public var archived: [Item]?

    /// Makes a list of these items.
    public init(items: [Item], archived: [Item]? = nil) {
        self.items = items
        self.archived = archived
    }

    /// One thing to do.
    public struct Item: Codable, Equatable, Sendable {
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

    /// Four things that everybody ought to do.
    public static let initial = TodosState(items: [
        Item(text: "Pet my unicorn"),
        Item(text: "Become a doctor.\nChange last name to Acula"),
        Item(text: "Hire two private investigators.\nGet them to follow each other"),
        Item(text: "Visit mars"),
    ])
}
