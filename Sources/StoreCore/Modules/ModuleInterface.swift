/// What other modules see of a module: its name, its slice, and the actions that all may dispatch.
///
/// A ``Module`` is its own interface. Where modules are written by people who never meet, the
/// interface stands in a target of its own, which others import, and the module in another one,
/// which only the program imports:
///
/// ```swift
/// // the target HomeInterface
/// public enum Home: StartableInterface {
///     public struct State: ModuleState {
///         public var titles: [String] = []
///     }
/// }
///
/// // the target HomeModule
/// struct HomeModule: StartableModule {
///     typealias Interface = Home
///
///     enum UI: ModuleAction { case refreshed }
///
///     func begin(_ start: NoFields) -> State { State() }
///     func reduce(_ state: inout State, ui action: UI) { state.titles = [] }
/// }
///
/// extension Home {
///     public static var module: some StartableModule<State> { HomeModule() }
/// }
///
/// // the program
/// Home.module.at(\.home)
/// ```
///
/// Others start `Home`, read its slice and react to it. What the view and the effects of the module
/// say to it is a type that they can't name, and may change without them.
public protocol ModuleInterface<State>: Sendable {
    /// The module's slice of the root state.
    associatedtype State: ModuleState
    /// Actions that all may dispatch.
    associatedtype Action: ModuleAction = Never

    /// The slice's name in the state, in paths and before the slash of wire names. It is the type's
    /// name with a small first letter by default.
    static var name: String { get }
}

/// The interface of a ``StartableModule``: others start it, and stop it.
public protocol StartableInterface<State>: ModuleInterface {
    /// The input of a start.
    associatedtype Start: Codable, Equatable, Sendable = NoFields
}

/// The interface of a ``SharingModule``: what others may have a copy of in their own slices.
public protocol SharingInterface<State>: ModuleInterface {
    /// What others may see.
    associatedtype SharedValue: Codable, Equatable, Sendable
}

extension ModuleInterface {
    /// The type's name, with a small first letter.
    public static var name: String { Self.nameOfType }

    static var nameOfType: String {
        let type = String(describing: Self.self)
        return type.prefix(1).lowercased() + type.dropFirst()
    }
}

extension Module {
    /// The interface's name: a module in a target of its own goes by that, too.
    public static var name: String { Interface.name }
}

extension Module where Interface == Self {
    /// The type's name, with a small first letter.
    public static var name: String { Self.nameOfType }
}

extension StartableInterface {
    /// The action that starts the module.
    public static func start(_ start: Start) -> ModuleStart<Self> { ModuleStart(start: start) }

    /// The action that stops the module.
    public static var stop: ModuleStop<Self> { ModuleStop() }
}

extension StartableInterface where Start == NoFields {
    /// The action that starts the module.
    public static var start: ModuleStart<Self> { ModuleStart(start: NoFields()) }
}

extension StartableModule {
    /// The action that starts the module.
    public static func start(_ start: Interface.Start) -> ModuleStart<Interface> {
        ModuleStart(start: start)
    }

    /// The action that stops the module.
    public static var stop: ModuleStop<Interface> { ModuleStop() }
}

extension StartableModule where Interface.Start == NoFields {
    /// The action that starts the module.
    public static var start: ModuleStart<Interface> { ModuleStart(start: NoFields()) }
}

/// Which dispatchers may start a module's slices, or stop them.
public enum LifecycleAccess: Sendable {
    /// All who may dispatch.
    case everybody
    /// The program itself: its effects, use cases, presenters and reactions.
    case program
}

/// The payload of an action without fields.
public struct NoFields: Codable, Equatable, Sendable {
    /// The only value.
    public init() {}
}

/// Asks for a module's slice to begin.
public struct ModuleStart<M: StartableInterface>: Action, Equatable {
    /// The input of the start.
    public let start: M.Start
}

/// Asks for a module's slice to end.
public struct ModuleStop<M: StartableInterface>: Action, Equatable {}
