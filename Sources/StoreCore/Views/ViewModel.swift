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
/// A patch matches the cells of two versions by the member `id`, if the `id` is a text or a whole
/// number. So a new cell at the front of a list is one operation of the patch, and the other cells
/// are not sent again.
public protocol ViewModel: Encodable, Equatable, Sendable {}

/// A named projection of the state with parameters, which a client gives in the query of the URL:
/// `/views/page?after=20`.
public protocol ParameterizedViewModel<State>: ModuleReader, ViewModel {
    /// The root state that the projection is made from.
    associatedtype State: RootState
    /// The parameters that a client may give in the query of the URL.
    associatedtype Parameters: Codable & Sendable = NoFields

    /// The name of the view in paths. By default, the name is the type's name without `ViewModel`,
    /// with a small first letter.
    static var name: String { get }

    /// The modules that the projection is made from, or their interfaces; all modules by default.
    static var reads: [any ModuleInterface.Type] { get }

    /// Makes the projection; `nil` if there is nothing to show. The initializer is pure.
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
/// A server serves the view at `/views/list`, and streams the view after each change. The server
/// makes the view once for all clients, and only after a change of a module that the view reads.
public protocol ViewModelWithState<State>: ParameterizedViewModel where Parameters == NoFields {
    /// The root state that the projection is made from.
    associatedtype State

    /// Makes the projection; `nil` if there is nothing to show. The initializer is pure.
    init?(state: State)
}

extension ViewModelWithState {
    /// Makes the projection, which takes no parameters.
    public init?(state: State, parameters: NoFields) { self.init(state: state) }
}

/// A projection that depends on the client: its initializer gets the client's principal and
/// session.
///
/// ```swift
/// struct BoardViewModel: ContextualViewModel {
///     let titles: [String]
///     let mayClose: Bool
///
///     init?(state: AppState, parameters: NoFields, in context: ViewContext) {
///         titles = state.board.titles
///         mayClose = state.board.owner == context.principal?.name
///     }
/// }
/// ```
///
/// The server makes the view separately for each combination of principal, role and session that
/// reads the view.
public protocol ContextualViewModel<State>: ParameterizedViewModel {
    /// The root state that the projection is made from.
    associatedtype State

    /// Makes the projection; `nil` if there is nothing to show for the client. The initializer is
    /// pure.
    init?(state: State, parameters: Parameters, in context: ViewContext)
}

extension ContextualViewModel {
    /// Makes the projection for a client without a credential and without a session.
    public init?(state: State, parameters: Parameters) {
        self.init(state: state, parameters: parameters, in: ViewContext())
    }
}

/// The client that a ``ContextualViewModel`` is made for.
public struct ViewContext: Sendable, Hashable {
    /// The principal that reads the view; `nil` for a client without a credential.
    public let principal: ActionPrincipal?
    /// The session that reads the view; `shared` for a client without a session.
    public let session: String

    /// Makes a context, for a test that makes a view.
    public init(as principal: ActionPrincipal? = nil, session: String = "shared") {
        self.principal = principal
        self.session = session
    }
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

/// A type that lists the modules from which its values are made: `static let reads: [any
/// Module.Type] = [Todos.self]`. Each of these modules is its own interface.
public protocol ModuleReader {
    /// The modules from which values of the type are made.
    static var reads: [any Module.Type] { get }
}

extension ModuleReader {
    /// No modules.
    public static var reads: [any Module.Type] { [] }
}
