/// A module whose reducers return the work outside of the Core that follows.
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
/// One `switch` decides what an action changes and what is to be done about it, so the compiler
/// finds an action that is left out of either. The effect is made of the action, of the slice as it
/// was and of the slice as it is, whatever the reducer takes of them.
///
/// A reducer stays pure: an ``Effect`` is a value, which does nothing by itself. The runner begins
/// it once the action is durable. It is dropped where the action is refused, or another one of its
/// array, in a dry run, and in a replay.
public protocol EffectfulModule<State>: Module {
    /// Applies an action to the slice, and returns what is to be done about it; or refuses the
    /// action by throwing ``Refusal``, and then nothing is done.
    func reduce(_ state: inout State, _ action: Interface.Action) throws -> Effect<State>

    /// Applies an action of one of the module's views.
    func reduce(_ state: inout State, ui action: UI) throws -> Effect<State>

    /// Applies an action of one of the module's effects or presenters.
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

    /// Applies one of the module's own actions, and drops the effect.
    public func reduce(_ state: inout State, internal action: Internal) throws {
        let _: Effect<State> = try reduce(&state, internal: action)
    }
}

extension EffectfulModule where Interface.Action == Never {
    /// There is no such action.
    public func reduce(_ state: inout State, _ action: Never) -> Effect<State> {}

    /// There is no such action.
    public func reduce(_ state: inout State, _ action: Never) {}
}

extension EffectfulModule where UI == Never {
    /// There is no such action.
    public func reduce(_ state: inout State, ui action: Never) -> Effect<State> {}

    /// There is no such action.
    public func reduce(_ state: inout State, ui action: Never) {}
}

extension EffectfulModule where Internal == Never {
    /// There is no such action.
    public func reduce(_ state: inout State, internal action: Never) -> Effect<State> {}

    /// There is no such action.
    public func reduce(_ state: inout State, internal action: Never) {}
}
