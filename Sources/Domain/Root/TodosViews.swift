public import DefaultTodosInterface
public import StoreCore

/// What the screen of the list shows; nothing where the list is empty.
public struct ListViewModel: ViewModelWithState {
    /// It is made of the list alone.
    public static let reads: [any ModuleInterface.Type] = [Todos.self]

    /// What is to be done, in order.
    public let texts: [String]
    /// How many of these are not done yet.
    public let pending: Int

    /// `nil` where the list is empty.
    public init?(state: AppState) {
        guard !state.todos.items.isEmpty else { return nil }
        texts = state.todos.items.map(\.text)
        pending = state.todos.items.count { !$0.completed }
    }
}

/// The items that a client asks for: `/views/items?completed=false&limit=2`.
public struct ItemsViewModel: ParameterizedViewModel {
    /// It is made of the list alone.
    public static let reads: [any ModuleInterface.Type] = [Todos.self]

    /// What may be asked for.
    public struct Parameters: Codable, Sendable {
        /// Only those that are completed, or that are not; both where nothing is said.
        public let completed: Bool?
        /// The most items; all where nothing is said.
        public let limit: UInt32?
    }

    /// The items, in the order of the list.
    public let items: [Todos.Item]

    /// Never `nil`.
    public init?(state: AppState, parameters: Parameters) {
        let meant = state.todos.items.filter {
            parameters.completed == nil || $0.completed == parameters.completed
        }
        items = Array(meant.prefix(Int(parameters.limit ?? .max)))
    }
}
