public import StoreCore

/// An object that does the work of a use case: it takes the input and calls services. The outputs
/// go to the dispatcher.
///
/// ```swift
/// protocol LoginUseCase {
///     func login(userName: String, password: String) async throws
/// }
///
/// final class LoginInteractor: Interactor<Login.Internal>, LoginUseCase { … }
/// ```
///
/// An interactor serves one call of a use case. Each call begins by making an interactor of its
/// own.
open class Interactor<Action: Sendable> {
    /// The dispatcher of the outputs.
    public let dispatcher: AnyDispatcher<Action>

    /// Makes an interactor whose outputs go to `dispatcher`.
    public init(dispatcher: AnyDispatcher<Action>) { self.dispatcher = dispatcher }
}

/// A dispatcher that hands the outputs of an interactor to the module that shows them.
///
/// Each call waits until the Core has applied the output, so that outputs keep their order.
public struct AnyDispatcher<Action: Sendable>: Sendable {
    private let dispatchAndWait: @Sendable (Action) async throws -> Void

    /// Makes a dispatcher that calls `dispatch` with each action.
    public init(dispatch: @escaping @Sendable (Action) async throws -> Void) {
        dispatchAndWait = dispatch
    }

    /// Dispatches an action, and waits until it is applied.
    public func dispatch(_ action: Action) async throws { try await dispatchAndWait(action) }

    /// Returns a dispatcher for actions of another type. The dispatcher first translates each
    /// action. Several interactors can therefore dispatch to one module.
    public func map<Other: Sendable>(
        _ translate: @escaping @Sendable (Other) -> Action
    ) -> AnyDispatcher<Other> {
        AnyDispatcher<Other> { try await self.dispatch(translate($0)) }
    }
}

extension EffectContext {
    /// Returns a dispatcher that an interactor can use for one type of the module's actions.
    public func dispatcher<Action: ModuleAction>(
        for action: Action.Type,
        file: String = #fileID,
        line: Int = #line
    ) -> AnyDispatcher<Action> { AnyDispatcher { try await dispatch($0, file: file, line: line) } }
}

/// A pure function that changes the shown state for each output of an interactor. In Plan, this is
/// the pure half of a presenter.
///
/// A module's reducer can do the same work. A translator is useful if several modules share the
/// function.
public protocol Translator<Action, Store>: Sendable {
    /// The outputs of an interactor.
    associatedtype Action: Sendable
    /// The shown state: a module's slice, or a part of it.
    associatedtype Store

    /// Changes the shown state.
    func translate(action: Action, store: inout Store)
}
