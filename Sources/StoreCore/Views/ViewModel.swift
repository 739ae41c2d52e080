/// A part of a screen: a member of another view model, such as a cell of a list.
///
/// ```swift
/// struct TodoCellViewModel: ViewModel {
///     let id: Int
///     let text: String
///     let complete: ActionLink
///
///     init(_ item: Todos.Item) {
///         id = item.id
///         text = item.text
///         complete = ActionLink(Todos.Action.completed(id: item.id))
///     }
/// }
/// ```
///
/// The patches of a stream match cells by their own member `id`, if it is a text or a whole number.
/// Then a new cell at the front of a list is one operation, and the other cells stay as they are.
public protocol ViewModel: Encodable, Equatable, Sendable {}

/// A named projection of the state with parameters, which a client gives in the query of the URL:
/// `/views/page?after=20`.
public protocol ParameterizedViewModel<State>: ModuleReader, ViewModel {
    /// The root state that the projection is made from.
    associatedtype State: RootState
    /// The parameters that a client may give in the query of the URL.
    associatedtype Parameters: Codable & Sendable = NoFields

    /// The name in paths. By default it is the type's name without `ViewModel`, with a small first
    /// letter.
    static var name: String { get }

    /// The modules that the projection is made from, or their interfaces; all modules by default.
    static var reads: [any ModuleInterface.Type] { get }

    /// Makes the projection; `nil` if there is nothing to show. Pure.
    init?(state: State, parameters: Parameters)
}

/// A named projection of the state for one screen, one page or one client.
///
/// ```swift
/// struct ListViewModel: ViewModelWithState {
///     static let reads: [any Module.Type] = [Todos.self]
///
///     let texts: [String]
///
///     init?(state: AppState) {
///         texts = state.todos.items.filter { !$0.completed }.map(\.text)
///     }
/// }
/// ```
///
/// A server shows the view at `/views/list`, and streams it whenever it changes. The server makes
/// the view once for all watchers, and only after a change of a module that the view reads.
public protocol ViewModelWithState<State>: ParameterizedViewModel where Parameters == NoFields {
    /// The root state that the projection is made from.
    associatedtype State

    /// Makes the projection; `nil` if there is nothing to show. Pure.
    init?(state: State)
}

extension ViewModelWithState {
    /// Makes the projection, which takes no parameters.
    public init?(state: State, parameters: NoFields) { self.init(state: state) }
}

extension ParameterizedViewModel {
    /// The type's name without `ViewModel`, with a small first letter.
    public static var name: String {
        var type = String(describing: Self.self)
        if type.hasSuffix("ViewModel"), type != "ViewModel" { type.removeLast("ViewModel".count) }
        return type.prefix(1).lowercased() + type.dropFirst()
    }

    /// The modules in the list of ``ModuleReader``; an empty list stands for all modules.
    public static var reads: [any ModuleInterface.Type] {
        let modules: [any Module.Type] = Self.reads
        return modules
    }
}

/// A type that names the modules that it is made from, if each is its own interface: `static let
/// reads: [any Module.Type] = [Todos.self]`.
public protocol ModuleReader {
    /// The modules that the type is made from.
    static var reads: [any Module.Type] { get }
}

extension ModuleReader {
    /// No modules.
    public static var reads: [any Module.Type] { [] }
}
