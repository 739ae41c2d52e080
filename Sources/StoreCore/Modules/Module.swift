/// A named slice of the state, with the actions that change the slice, and the reducer that applies
/// the actions.
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
/// The `switch` has no `default`, so the compiler reports an action that is left out. Every client
/// may dispatch an ``Action``, such as `counter/increased` on the wire. The actions of the module's
/// own views are ``UI``, and the actions of its effects and presenters are ``Internal``. The path
/// `/dispatch` refuses ``UI`` and ``Internal``. A view sends its actions to `/modules/counter/ui`.
///
/// A module with work outside of the Core is an ``EffectfulModule``. A ``ModuleInterface`` in a
/// target of its own hides the implementation of a module from other modules.
public protocol Module<State>: ModuleInterface {
    /// The interface that other modules see; the module's own type by default. A separate interface
    /// supplies the slice, the public actions, the input of a start and the name.
    associatedtype Interface: ModuleInterface<State> = Self
    /// Actions that only the module's own views may dispatch, while the module is started.
    associatedtype UI: ModuleAction = Never
    /// Actions that only the module's own effects and presenters may dispatch.
    associatedtype Internal: ModuleAction = Never

    /// Actions with types of their own, beside ``Action``. The wire name of such an action is the
    /// name of its type, or `module/id/Type` if the module has instances.
    static var dispatchables: [any Dispatchable.Type] { get }

    /// Applies an action to the slice, or refuses it by throwing ``Refusal``.
    ///
    /// The reducer is pure: it reads only the slice and the action, and changes only the slice. The
    /// slice is a copy, so its changes are dropped if the reducer throws.
    func reduce(_ state: inout State, _ action: Interface.Action) throws

    /// Applies an action of one of the module's views.
    func reduce(_ state: inout State, ui action: UI) throws

    /// Applies an action of one of the module's effects or presenters.
    func reduce(_ state: inout State, internal action: Internal) throws

    /// Returns the action that the next start of the server dispatches for interrupted effects;
    /// `nil` for no action.
    ///
    /// These effects followed the action of `version`. The server ended before the effects had
    /// ended. The effects do not run again.
    func interrupted(after version: UInt64) -> Internal?

    /// The use cases of the module: work that clients ask for, with an input that the journal does
    /// not keep.
    var useCases: [UseCaseMethod<State>] { get }
}

/// The slice of a module: a plain value that the server encodes and decodes.
public protocol ModuleState: Codable, Equatable, Sendable {}

/// An enum of a module's actions.
///
/// Each case has a wire name, `module/case`, and the labels of the case are the members of the
/// payload. The compiler writes the `Codable` conformance. If the enum has texts as raw values, the
/// raw value of a case replaces the name of the case on the wire. An enum with any other JSON, such
/// as numbers as raw values, prevents the start of a server.
///
/// The coding key of a case is the part of the wire name after the name of the module. A key that
/// begins with a slash is the whole wire name, like an absolute path. Whole names are for actions
/// that clients and logs already have under another name:
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
/// An action with a whole name still belongs to its module. A whole name has no second slash. UI
/// actions and the actions of a module with instances have no whole names: the server finds these
/// actions by the name of the module. A server does not start if an enum breaks these rules.
public protocol ModuleAction: Action, Codable, Equatable {}

/// The type of a module's public, UI or internal actions, if the module has no actions of this
/// kind.
extension Never: ModuleAction {}

extension Module {
    /// No dispatchables.
    public static var dispatchables: [any Dispatchable.Type] { [] }

    /// Returns `nil`, so the next start dispatches no action.
    public func interrupted(after version: UInt64) -> Internal? { nil }

    /// No use cases.
    public var useCases: [UseCaseMethod<State>] { [] }
}

extension Module where UI == Never {
    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, ui action: Never) {}
}

extension Module where Interface.Action == Never {
    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, _ action: Never) {}
}

extension Module where Internal == Never {
    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, internal action: Never) {}
}

/// A module whose slice is absent until it is started.
///
/// The store adds the actions `name/start`, whose payload is `Start`, and `name/stop`. The
/// ``Mount`` of the module decides which dispatchers may send these actions
/// (``Mount/lifecycle(start:stop:)``). A start of a slice that exists is refused, unless the module
/// implements ``begin(_:over:)``.
public protocol StartableModule<State>: Module, StartableInterface
where Interface: StartableInterface {
    /// Returns the new slice, or throws a ``Refusal``.
    func begin(_ start: Interface.Start) throws -> State

    /// Returns the slice that replaces an existing slice, or throws a ``Refusal``. By default the
    /// start is refused, because a start would reset a slice that other clients may use.
    ///
    /// The store cancels the effects of the old slice, as after a stop.
    func begin(_ start: Interface.Start, over old: State) throws -> State

    /// Returns the effect that follows a start; `state` is the new slice.
    func effect(afterStart start: Interface.Start, in state: State) -> Effect<State>
}

extension StartableModule {
    /// Refuses the start, because the slice is started already.
    public func begin(_ start: Interface.Start, over old: State) throws -> State {
        throw AlreadyStarted()
    }

    /// Returns no effect.
    public func effect(afterStart start: Interface.Start, in state: State) -> Effect<State> {
        .none
    }
}

/// The error of a start over an existing slice, if the module does not implement
/// ``StartableModule/begin(_:over:)``. The store turns this error into a refusal with the path of
/// the slice.
struct AlreadyStarted: Error {}

/// A module whose view has an action for its appearance in a client, for its disappearance, or for
/// both.
///
/// A client counts as showing the view while the client reads the module's stream.
///
/// If the view has both actions, the actions of a session have to alternate. The store refuses the
/// action for the appearance from a session that already shows the view. The store refuses the
/// action for the disappearance from any other session.
///
/// ``Presence`` records the slices that each session shows. So a new server ends the views that the
/// previous server left open. The stop of a slice ends its views. A start over an existing slice
/// keeps the views. If the slice has a count of its views, ``StartableModule/begin(_:over:)`` has
/// to copy the count.
public protocol VisibleModule<State>: Module {
    /// Returns the UI action to dispatch when a client begins or ceases to show the view; `nil` for
    /// no action. The server dispatches the action once for each session.
    func visibilityDidChange(to visibility: ViewVisibility) -> UI?
}

/// The visibility of a view in a client.
public enum ViewVisibility: Sendable {
    /// A client shows the view.
    case visible
    /// The client does not show the view any more.
    case hidden
}

extension Mount {
    /// Returns the action of the module's view for a change of its visibility.
    package func visibilityAction(on visibility: ViewVisibility) -> (any Action)? {
        (module as? any VisibleModule)?.visibilityDidChange(to: visibility)
    }

    /// A function that reads from an action whether a view appeared or disappeared. `nil` stands
    /// for a module whose view does not have two different actions for these changes.
    var visibilityReader: (@Sendable (any Action) -> ViewVisibility?)? {
        (module as? any VisibleModule)?.visibilityReader
    }
}

extension VisibleModule {
    fileprivate var visibilityReader: (@Sendable (any StoreCore.Action) -> ViewVisibility?)? {
        guard let visible = visibilityDidChange(to: .visible),
            let hidden = visibilityDidChange(to: .hidden), visible != hidden
        else { return nil }
        return { action in
            guard let action = action as? UI else { return nil }
            return action == visible ? .visible : action == hidden ? .hidden : nil
        }
    }
}
