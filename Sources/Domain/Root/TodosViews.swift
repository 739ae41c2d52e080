public import DefaultTodosInterface
public import StoreCore

/// The screen of the list; absent if the list is empty.
public struct ListViewModel: ViewModelWithState {
    /// The only module whose slice the view reads.
    public static let reads: [any ModuleInterface.Type] = [Todos.self]

    /// The texts of the items, in order.
    public let texts: [String]
    /// The number of items that are not done yet.
    public let pending: Int

    /// Makes the view. Returns `nil` if the list is empty.
    public init?(state: AppState) {
        guard !state.todos.items.isEmpty else { return nil }
        texts = state.todos.items.map(\.text)
        pending = state.todos.items.count { !$0.completed }
    }
}

/// The items that a client asks for: `/views/items?completed=false&limit=2`.
public struct ItemsViewModel: ParameterizedViewModel {
    /// The only module whose slice the view reads.
    public static let reads: [any ModuleInterface.Type] = [Todos.self]

    /// The parameters of the view.
    public struct Parameters: Codable, Sendable {
        /// True for the completed items, false for the items that are not completed; `nil` for
        /// both.
        public let completed: Bool?
        /// The maximum number of items in the view; `nil` for all items.
        public let limit: UInt32?
    }

    /// The items, in the order of the list.
    public let items: [Todos.Item]

    /// Makes the view. Never returns `nil`.
    public init?(state: AppState, parameters: Parameters) {
        let meant = state.todos.items.filter {
            parameters.completed == nil || $0.completed == parameters.completed
        }
        items = Array(meant.prefix(Int(parameters.limit ?? .max)))
    }
}
