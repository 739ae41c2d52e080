/// Takes what an interactor has to say, and hands it to those who show it.
///
/// Each call waits until what it said is applied, so that outputs keep their order.
public struct AnyDispatcher<Action: Sendable>: Sendable {
    private let send: @Sendable (Action) async throws -> Void

    /// Makes a dispatcher of what is to be done with each action.
    public init(dispatch: @escaping @Sendable (Action) async throws -> Void) {
        send = dispatch
    }

    /// Hands an action over, and waits until it is applied.
    public func dispatch(_ action: Action) async throws {
        try await send(action)
    }

    /// A dispatcher of other actions, each of which is translated: several interactors can speak to one
    /// module in its words.
    public func map<Other: Sendable>(
        _ translate: @escaping @Sendable (Other) -> Action
    ) -> AnyDispatcher<Other> {
        AnyDispatcher<Other> { try await self.dispatch(translate($0)) }
    }

    /// The same dispatcher.
    public func asDispatcher() -> AnyDispatcher<Action> { self }
}

/// The part of a use case that does its work: input and output, and calls of services. What comes of it
/// goes to the dispatcher.
///
/// ```swift
/// protocol LoginUseCase {
///     func login(userName: String, password: String) async throws
/// }
///
/// final class LoginInteractor: Interactor<Login.Internal>, LoginUseCase { … }
/// ```
open class Interactor<Action: Sendable>: @unchecked Sendable {
    // Safety: it has one constant here; a subclass that adds variables answers for them.

    /// Where its outputs go.
    public let dispatcher: AnyDispatcher<Action>

    /// Makes an interactor whose outputs go to `dispatcher`.
    public init(dispatcher: AnyDispatcher<Action>) {
        self.dispatcher = dispatcher
    }
}

extension EffectContext {
    /// A dispatcher of one type of the module's actions, for an interactor.
    public func dispatcher<Action: ModuleAction>(
        for action: Action.Type,
        file: String = #fileID,
        line: Int = #line
    ) -> AnyDispatcher<Action> {
        AnyDispatcher { try await dispatch($0, file: file, line: line) }
    }
}

/// Changes what is shown as an interactor's outputs say: the pure half of a presenter.
///
/// A module's reducer is one; a type of its own is worth having where several modules share it.
public protocol Translator<Action, Store>: Sendable {
    /// What an interactor says.
    associatedtype Action: Sendable
    /// What is shown: a module's slice, or a part of it.
    associatedtype Store

    /// Changes what is shown.
    func translate(action: Action, store: inout Store)
}
