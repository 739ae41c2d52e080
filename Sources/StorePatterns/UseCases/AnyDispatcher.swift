public import StoreCore

/// Takes the outputs of an interactor, and hands them to the module that shows them.
///
/// Each call waits until its output is applied, so that outputs keep their order.
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

    /// A dispatcher of other actions, each of which is translated: several interactors can speak to
    /// one module in its words.
    public func map<Other: Sendable>(
        _ translate: @escaping @Sendable (Other) -> Action
    ) -> AnyDispatcher<Other> {
        AnyDispatcher<Other> { try await self.dispatch(translate($0)) }
    }

    /// The same dispatcher.
    public func asDispatcher() -> AnyDispatcher<Action> { self }
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
