/// A module whose reducers get a ``ReducerContext`` beside the action, for instance to compare the
/// sender with the owner of the slice.
///
/// The reducers return nothing, or the ``Effect`` that follows the action:
///
/// ```swift
/// struct Board: ContextualModule {
///     func reduce(_ state: inout State, _ action: Action, in context: ReducerContext) throws
///         -> Effect<State>
///     {
///         switch action {
///         case .renamed(let title):
///             guard state.members.contains(context.principal?.name ?? "") else {
///                 throw Refusal.forbidden("Only members rename the board.")
///             }
///             state.title = title
///             return .none
///         }
///     }
/// }
/// ```
///
/// The reducers of a module all return the same type. The start of a
/// ``ContextualStartableModule`` gets a context, too. A ``KeepingModule`` may also be contextual;
/// its reducers return effects.
///
/// Cost: some 160 instructions for each action, because each context retains the names of its
/// sender. A ``Module`` that is not contextual does not have this cost.
public protocol ContextualModule<State>: Module {
    /// `Void` if the reducers return nothing, or `Effect<State>`. The compiler infers this type
    /// from the module's reducers.
    associatedtype ReducerResult

    /// Applies an action to the slice, or refuses it by throwing ``Refusal``.
    func reduce(_ state: inout State, _ action: Interface.Action, in context: ReducerContext) throws
        -> ReducerResult

    /// Applies an action of one of the module's views.
    func reduce(_ state: inout State, ui action: UI, in context: ReducerContext) throws
        -> ReducerResult

    /// Applies an action of one of the module's effects or presenters.
    func reduce(_ state: inout State, internal action: Internal, in context: ReducerContext) throws
        -> ReducerResult

    /// Returns the effect in the result of a reducer. The library implements this function for both
    /// types of results; a module with another type does not compile.
    static func effect(in result: ReducerResult) -> Effect<State>
}

extension ContextualModule where ReducerResult == Void {
    /// Returns no effect.
    public static func effect(in result: Void) -> Effect<State> { .none }
}

extension ContextualModule where ReducerResult == Effect<State> {
    /// Returns the effect.
    public static func effect(in result: Effect<State>) -> Effect<State> { result }
}

extension ContextualModule {
    /// Applies an action in a context without a sender, and drops the effect. A store does not call
    /// this function.
    public func reduce(_ state: inout State, _ action: Interface.Action) throws {
        _ = try reduce(&state, action, in: ReducerContext())
    }

    /// Applies an action in a context without a sender, and drops the effect. A store does not call
    /// this function.
    public func reduce(_ state: inout State, ui action: UI) throws {
        _ = try reduce(&state, ui: action, in: ReducerContext())
    }

    /// Applies an action in a context without a sender, and drops the effect. A store does not call
    /// this function.
    public func reduce(_ state: inout State, internal action: Internal) throws {
        _ = try reduce(&state, internal: action, in: ReducerContext())
    }
}

// A module that keeps work is effectful, too. The store calls the contextual reducers of such a
// module.

extension ContextualModule where Self: EffectfulModule, ReducerResult == Effect<State> {
    /// Applies an action in a context without a sender. A store does not call this function.
    public func reduce(_ state: inout State, _ action: Interface.Action) throws -> Effect<State> {
        try reduce(&state, action, in: ReducerContext())
    }

    /// Applies an action in a context without a sender. A store does not call this function.
    public func reduce(_ state: inout State, ui action: UI) throws -> Effect<State> {
        try reduce(&state, ui: action, in: ReducerContext())
    }

    /// Applies an action in a context without a sender. A store does not call this function.
    public func reduce(_ state: inout State, internal action: Internal) throws -> Effect<State> {
        try reduce(&state, internal: action, in: ReducerContext())
    }

    /// Applies an action in a context without a sender, and drops the effect. A store does not call
    /// this function.
    public func reduce(_ state: inout State, _ action: Interface.Action) throws {
        let _: Effect<State> = try reduce(&state, action)
    }

    /// Applies an action in a context without a sender, and drops the effect. A store does not call
    /// this function.
    public func reduce(_ state: inout State, ui action: UI) throws {
        let _: Effect<State> = try reduce(&state, ui: action)
    }

    /// Applies an action in a context without a sender, and drops the effect. A store does not call
    /// this function.
    public func reduce(_ state: inout State, internal action: Internal) throws {
        let _: Effect<State> = try reduce(&state, internal: action)
    }
}

extension ContextualModule
where Self: EffectfulModule, ReducerResult == Effect<State>, Interface.Action == Never {
    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, _ action: Never) -> Effect<State> {}

    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, _ action: Never) {}
}

extension ContextualModule
where Self: EffectfulModule, ReducerResult == Effect<State>, UI == Never {
    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, ui action: Never) -> Effect<State> {}

    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, ui action: Never) {}
}

extension ContextualModule
where Self: EffectfulModule, ReducerResult == Effect<State>, Internal == Never {
    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, internal action: Never) -> Effect<State> {}

    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, internal action: Never) {}
}

extension ContextualModule where Interface.Action == Never {
    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, _ action: Never, in context: ReducerContext)
        -> ReducerResult
    {}

    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, _ action: Never) {}
}

extension ContextualModule where UI == Never {
    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, ui action: Never, in context: ReducerContext)
        -> ReducerResult
    {}

    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, ui action: Never) {}
}

extension ContextualModule where Internal == Never {
    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, internal action: Never, in context: ReducerContext)
        -> ReducerResult
    {}

    /// Is never called, because `Never` has no values.
    public func reduce(_ state: inout State, internal action: Never) {}
}

/// A startable module whose ``begin(_:in:)`` gets a ``ReducerContext``, for instance to make the
/// sender of the start the owner of the slice.
public protocol ContextualStartableModule<State>: StartableModule {
    /// Returns the new slice, or throws a ``Refusal``.
    func begin(_ start: Interface.Start, in context: ReducerContext) throws -> State

    /// Returns the slice that replaces an existing slice, or throws a ``Refusal``. By default the
    /// start is refused, as in ``StartableModule/begin(_:over:)``.
    func begin(_ start: Interface.Start, over old: State, in context: ReducerContext) throws
        -> State
}

extension ContextualStartableModule {
    /// Begins a slice in a context without a sender. A store does not call this function.
    public func begin(_ start: Interface.Start) throws -> State {
        try begin(start, in: ReducerContext())
    }

    /// Refuses the start, because the slice is started already.
    public func begin(_ start: Interface.Start, over old: State, in context: ReducerContext) throws
        -> State
    { throw AlreadyStarted() }
}
