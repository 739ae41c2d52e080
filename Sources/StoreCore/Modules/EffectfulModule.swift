/// A module whose reducers return effects: the work outside of the Core that follows an action.
///
/// ```swift
/// struct Search: EffectfulModule {
///     struct State: ModuleState {
///         var text = ""
///         var titles: [String] = []
///     }
///
///     enum Action: ModuleAction {
///         case textChanged(String)
///         case found(titles: [String])
///     }
///
///     func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
///         switch action {
///         case .textChanged(let text):
///             guard text != state.text else { return .none }
///             state.text = text
///             return .run(id: "search", cancelInFlight: true) { context in
///                 let titles = try await context.dependencies.movies.search(text)
///                 try await context.dispatch(Action.found(titles: titles))
///             }
///         case .found(let titles):
///             state.titles = titles
///             return .none
///         }
///     }
/// }
/// ```
///
/// A single `switch` has the change and the effect of each action. The compiler reports an action
/// without a case in the `switch`, and a case that returns no effect. The effect may depend on the
/// action, on the old slice and on the new slice.
///
/// A reducer stays pure: an ``Effect`` is a value, which does nothing by itself. The runner begins
/// the effect once the action is durable. The effect is dropped in a dry run, in a replay, and if
/// the action or another action of the same array is refused.
public protocol EffectfulModule<State>: Module {
    /// Applies an action to the slice, and returns the effect that follows. To refuse the action,
    /// the function throws ``Refusal``, and no effect follows.
    func reduce(_ state: inout State, _ action: Interface.Action) throws -> Effect<State>

    /// Applies an action of one of the module's views, and returns the effect that follows.
    func reduce(_ state: inout State, ui action: UI) throws -> Effect<State>

    /// Applies an action of the module's effects or presenters, and returns the effect that
    /// follows.
    func reduce(_ state: inout State, internal action: Internal) throws -> Effect<State>
}

extension EffectfulModule {
    /// Applies an action, and drops the effect.
    public func reduce(_ state: inout State, _ action: Interface.Action) throws {
        let _: Effect<State> = try reduce(&state, action)
    }

    /// Applies an action of one of the module's views, and drops the effect.
    public func reduce(_ state: inout State, ui action: UI) throws {
        let _: Effect<State> = try reduce(&state, ui: action)
    }

    /// Applies one of the module's internal actions, and drops the effect.
    public func reduce(_ state: inout State, internal action: Internal) throws {
        let _: Effect<State> = try reduce(&state, internal: action)
    }
}

extension EffectfulModule where Interface.Action == Never {
    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, _ action: Never) -> Effect<State> {}

    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, _ action: Never) {}
}

extension EffectfulModule where UI == Never {
    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, ui action: Never) -> Effect<State> {}

    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, ui action: Never) {}
}

extension EffectfulModule where Internal == Never {
    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, internal action: Never) -> Effect<State> {}

    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, internal action: Never) {}
}
