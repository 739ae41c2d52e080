/// A named slice of the state, with the actions that change it and the reducer that applies them.
///
/// ```swift
/// struct Counter: Module {
///     struct State: ModuleState {
///         var count = 0
///         var step = 1
///     }
///
///     enum Action: ModuleAction {
///         case increased, decreased
///         case stepChanged(to: Int)
///     }
///
///     func reduce(_ state: inout State, _ action: Action) {
///         switch action {
///         case .increased: state.count += state.step
///         case .decreased: state.count -= state.step
///         case .stepChanged(let step): state.step = step
///         }
///     }
/// }
/// ```
///
/// The `switch` has no `default`, so the compiler finds an action that is left out. All may
/// dispatch an ``Action``: on the wire `counter/increased`. The actions of the module's own views
/// are ``UI``, and those of its effects and presenters ``Internal``; both are refused from outside.
///
/// A module that does work outside of the Core is an ``EffectfulModule``. One whose inside others
/// are not to name stands in a target of its own, behind a ``ModuleInterface``.
public protocol Module<State>: ModuleInterface {
    /// What others see of it: the module's own type, where nothing is said. Else the slice, the
    /// public actions, the input of a start and the name are that one's.
    associatedtype Interface: ModuleInterface<State> = Self
    /// Actions that only the module's own views may dispatch, while it is started.
    associatedtype UI: ModuleAction = Never
    /// Actions that only the module's own effects and presenters may dispatch.
    associatedtype Internal: ModuleAction = Never

    /// Actions with types of their own, which stand beside ``Action``. On the wire they go by their
    /// type's name, and those of a module with instances by `module/id/Type`.
    static var dispatchables: [any Dispatchable.Type] { get }

    /// Applies an action to the slice, or refuses it by throwing ``Refusal``.
    ///
    /// Pure: it reads and touches nothing else. It works on a copy of the slice, so what it changed
    /// before it threw is forgotten.
    func reduce(_ state: inout State, _ action: Interface.Action) throws

    /// Applies an action of one of the module's views.
    func reduce(_ state: inout State, ui action: UI) throws

    /// Applies an action of one of the module's effects or presenters.
    func reduce(_ state: inout State, internal action: Internal) throws

    /// The action that the module gets where effects that followed the action of this version did
    /// not end before the server did, and are not run again; `nil` for none.
    func interrupted(after version: UInt64) -> Internal?

    /// What may be asked of the module besides actions: work whose input is no part of its history.
    var useCases: [UseCaseMethod<State>] { get }
}

/// What a module's slice of the state has to be: plain values with a form on the wire.
public protocol ModuleState: Codable, Equatable, Sendable {}

/// What the enum of a module's actions has to be.
///
/// Each case is a wire name, `module/case`, and its labels are the members of the payload. The
/// compiler writes its `Codable`; an enum with texts as raw values has these for cases. Any other
/// form, such as numbers as raw values, keeps a server from starting.
///
/// A case's part of its wire name is its coding key. A key that begins with a slash is the whole
/// name, as an absolute path is. That is for names which clients and logs have already:
///
/// ```swift
/// enum Action: ModuleAction {
///     case increased                // counter/increased
///     case stepChanged(step: Int)   // StepChangeRequested
///
///     enum CodingKeys: String, CodingKey {
///         case increased
///         case stepChanged = "/StepChangeRequested"
///     }
/// }
/// ```
///
/// The action belongs to its module all the same. A whole name has no further slash. Actions of a
/// module's views, and those of a module with instances, have none: they are found by the module's
/// name. What breaks these rules keeps a server from starting.
public protocol ModuleAction: Action, Codable, Equatable {}

/// A module without actions of a kind has none to handle.
extension Never: ModuleAction {}

extension Module {
    /// None.
    public static var dispatchables: [any Dispatchable.Type] { [] }
}

extension Module {
    /// Nothing.
    public func interrupted(after version: UInt64) -> Internal? { nil }

    /// None.
    public var useCases: [UseCaseMethod<State>] { [] }
}

extension Module where UI == Never {
    /// There is no such action.
    public func reduce(_ state: inout State, ui action: Never) {}
}

extension Module where Interface.Action == Never {
    /// There is no such action.
    public func reduce(_ state: inout State, _ action: Never) {}
}

extension Module where Internal == Never {
    /// There is no such action.
    public func reduce(_ state: inout State, internal action: Never) {}
}

/// A module whose slice is absent until it is started.
///
/// The actions `name/start`, whose payload is `Start`, and `name/stop` exist for it without being
/// written. Which dispatchers they are taken from is said where the module is mounted
/// (``Mount/lifecycle(start:stop:)``). A start of a slice that is there is refused, unless the
/// module has ``begin(_:over:)``.
public protocol StartableModule<State>: Module, StartableInterface
where Interface: StartableInterface {
    /// The slice to begin with, or a ``Refusal``.
    func begin(_ start: Interface.Start) throws -> State

    /// The slice that takes the place of one that is there, or a ``Refusal``. Where a module does
    /// not say otherwise, such a start is refused: it would empty what others may be using.
    ///
    /// Whatever works for the slice is cancelled then, as when it is stopped.
    func begin(_ start: Interface.Start, over old: State) throws -> State

    /// The work that follows the start, given the slice to begin with.
    func effect(afterStart start: Interface.Start, in state: State) -> Effect<State>
}

extension StartableModule {
    /// Refuses: the slice is started already.
    public func begin(_ start: Interface.Start, over old: State) throws -> State {
        throw AlreadyStarted()
    }

    /// Nothing follows.
    public func effect(afterStart start: Interface.Start, in state: State) -> Effect<State> {
        .none
    }
}

/// A start of a slice that is there, of a module that has no way to begin over it. The store makes
/// a refusal of it, with the name of the slice.
struct AlreadyStarted: Error {}
