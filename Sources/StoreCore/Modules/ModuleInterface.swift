/// The public side of a module: its name, its slice, and the actions that every client may
/// dispatch.
///
/// By default a ``Module`` is its own interface. If independent teams write the modules, the
/// interface is in a target of its own, which other modules import. The module is in a second
/// target, which only the program imports:
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
/// Other modules start `Home`, read its slice and react to it. Other modules cannot name the
/// actions of the module's view and effects, so these actions may change freely.
public protocol ModuleInterface<State>: Sendable {
    /// The module's slice of the root state.
    associatedtype State: ModuleState
    /// Actions that every client may dispatch.
    associatedtype Action: ModuleAction = Never

    /// The name of the slice in the state, in paths, and before the slash of wire names. By
    /// default, the name is the name of the type with a small first letter.
    static var name: String { get }
}

/// The interface of a ``StartableModule``, which other modules may start and stop.
public protocol StartableInterface<State>: ModuleInterface {
    /// The input of a start.
    associatedtype Start: Codable, Equatable, Sendable = NoFields
}

/// The interface of a ``SharingModule``, whose value other modules may copy into their own slices.
public protocol SharingInterface<State>: ModuleInterface {
    /// The value that other modules may see.
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
    /// The name of the module's interface.
    public static var name: String { Interface.name }
}

extension Module where Interface == Self {
    /// The type's name, with a small first letter.
    public static var name: String { Self.nameOfType }
}

extension StartableInterface {
    /// Returns the action that starts the module.
    public static func start(_ start: Start) -> ModuleStart<Self> { ModuleStart(start: start) }

    /// The action that stops the module.
    public static var stop: ModuleStop<Self> { ModuleStop() }
}

extension StartableInterface where Start == NoFields {
    /// The action that starts the module.
    public static var start: ModuleStart<Self> { ModuleStart(start: NoFields()) }
}

extension StartableModule {
    /// Returns the action that starts the module.
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

/// The dispatchers that may start or stop the slices of a module.
public enum LifecycleAccess: Sendable {
    /// Every client and the program.
    case everybody
    /// The program alone: its effects, use cases, presenters and reactions.
    case program
}

/// The payload of an action without fields.
public struct NoFields: Codable, Equatable, Sendable {
    /// Makes the only value of the type.
    public init() {}
}

/// The action that starts a slice of a module.
public struct ModuleStart<M: StartableInterface>: Action, Equatable {
    /// The input of the start.
    public let start: M.Start
}

/// The action that stops a slice of a module.
public struct ModuleStop<M: StartableInterface>: Action, Equatable {}
