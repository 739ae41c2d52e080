/// What one part of a screen shows: a member of another view model, such as a cell of a list.
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
/// Cells that have a member `id` of their own, a text or a whole number, are compared by it where a
/// stream sends patches: one that is put at the front of a list is one operation, and the others
/// are left as they are.
public protocol ViewModel: Encodable, Equatable, Sendable {}

/// A named projection of the state that a client gives parameters for, in the query of the URL:
/// `/views/page?after=20`.
public protocol ParameterizedViewModel<State>: ModuleReader, ViewModel {
    /// The root state that it is made from.
    associatedtype State: RootState
    /// What a client may ask for in the query of the URL.
    associatedtype Parameters: Codable & Sendable = NoFields

    /// Its name in paths: the type's name without `ViewModel`, with a small first letter, where
    /// nothing is said.
    static var name: String { get }

    /// The modules that it is made from, or their interfaces; all of them where nothing is said.
    static var reads: [any ModuleInterface.Type] { get }

    /// The projection, or `nil` where there is nothing to show. Pure.
    init?(state: State, parameters: Parameters)
}

/// A named projection of the state: what one screen, one page or one client needs of it.
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
/// A server shows it at `/views/list`, and streams it whenever it changes. It is made once for each
/// change, however many watch, and only when a module that it reads has changed.
public protocol ViewModelWithState<State>: ParameterizedViewModel where Parameters == NoFields {
    /// The root state that it is made from.
    associatedtype State

    /// The projection, or `nil` where there is nothing to show. Pure.
    init?(state: State)
}

extension ViewModelWithState {
    /// The projection, which takes no parameters.
    public init?(state: State, parameters: NoFields) {
        self.init(state: state)
    }
}

extension ParameterizedViewModel {
    /// The type's name without `ViewModel`, with a small first letter.
    public static var name: String {
        var type = String(describing: Self.self)
        if type.hasSuffix("ViewModel"), type != "ViewModel" { type.removeLast("ViewModel".count) }
        return type.prefix(1).lowercased() + type.dropFirst()
    }

    /// Those that are named as modules; all of them where none is.
    public static var reads: [any ModuleInterface.Type] {
        let modules: [any Module.Type] = Self.reads
        return modules
    }
}

/// What names the modules that it is made from, where each is its own interface:
/// `static let reads: [any Module.Type] = [Todos.self]`.
public protocol ModuleReader {
    /// The modules that it is made from.
    static var reads: [any Module.Type] { get }
}

extension ModuleReader {
    /// None is named.
    public static var reads: [any Module.Type] { [] }
}
