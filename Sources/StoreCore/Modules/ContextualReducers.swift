/// Makes the handlers of a ``ContextualModule``.
///
/// Each type of results has a protocol of its own, and this type conforms to one of the protocols.
/// So the compiler sees the type of the results, and a handler calls the module's reducer directly.
struct ContextualReducers<C: ContextualModule> {
    let module: C
    let timerAdmission: TimerAdmission
}

/// The reducers of a contextual module that return nothing.
protocol EffectlessReducers<State> {
    associatedtype State: ModuleState

    /// Returns the handlers of the action enums of the module called `name`.
    func effectlessHandlers<P: SlicePlace>(_ name: String, at place: P) -> [ActionHandler<P.Root>]
    where P.State == State
}

extension ContextualReducers: EffectlessReducers where C.ReducerResult == Void {
    typealias State = C.State

    func effectlessHandlers<P: SlicePlace>(_ name: String, at place: P) -> [ActionHandler<P.Root>]
    where P.State == C.State {
        ActionHandler.forEnums(
            of: C.self,
            place.reducer(name, inContext: { [module] in try module.reduce(&$0, $1, in: $2) }),
            ui: place.reducer(
                name,
                inContext: { [module] in try module.reduce(&$0, ui: $1, in: $2) }
            ),
            internal: place.reducer(
                name,
                inContext: { [module] in try module.reduce(&$0, internal: $1, in: $2) }
            )
        )
    }
}

/// The reducers of a contextual module that return effects.
protocol EffectReducers<State> {
    associatedtype State: ModuleState

    /// Returns the handlers of the action enums of the module called `name`.
    func effectHandlers<P: SlicePlace>(_ name: String, at place: P) -> [ActionHandler<P.Root>]
    where P.State == State
}

extension ContextualReducers: EffectReducers where C.ReducerResult == Effect<C.State> {
    typealias State = C.State

    func effectHandlers<P: SlicePlace>(_ name: String, at place: P) -> [ActionHandler<P.Root>]
    where P.State == C.State {
        ActionHandler.forEnums(
            of: C.self,
            place.reducer(
                name,
                inContext: { [module, timerAdmission] in
                    try timerAdmission.admit(module.reduce(&$0, $1 as C.Interface.Action, in: $2))
                }
            ),
            ui: place.reducer(
                name,
                inContext: { [module, timerAdmission] in
                    try timerAdmission.admit(module.reduce(&$0, ui: $1 as C.UI, in: $2))
                }
            ),
            internal: place.reducer(
                name,
                inContext: { [module, timerAdmission] in
                    try timerAdmission.admit(module.reduce(&$0, internal: $1 as C.Internal, in: $2))
                }
            )
        )
    }
}
