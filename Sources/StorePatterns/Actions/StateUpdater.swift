public import StoreCore

/// An action that changes a slice of the state, or the whole state, with its own function.
///
/// ```swift
/// struct CompleteItem: StateUpdater {
///     let index: Int
///
///     func updateState(_ state: inout Todos.State) throws {
///         guard state.items.indices.contains(index) else {
///             throw Refusal(reason: "There is no item \(index).", pointer: "/index")
///         }
///         state.items[index].completed = true
///     }
/// }
/// ```
///
/// An action whose `State` is the root state may change several slices in one version. List the
/// action in ``/StoreCore/RootState/dispatchables``:
///
/// ```swift
/// struct Checkout: StateUpdater {
///     func updateState(_ state: inout AppState) throws {
///         guard !state.cart.value.items.isEmpty else { throw Refusal(reason: "It is empty.") }
///         state.orders.placed.append(Order(items: state.cart.value.items))
///         state.cart.value.items = []
///     }
/// }
/// ```
public protocol StateUpdater<State>: Dispatchable {
    /// The type of the state that the action changes: the state of the module that lists the
    /// action, or the root state.
    associatedtype State: ModuleState

    /// Changes the state, or refuses the action by throwing ``/StoreCore/Refusal``. The function
    /// must be pure, like a reducer.
    func updateState(_ state: inout State) throws
}

/// A state updater whose function gets a ``/StoreCore/ReducerContext`` beside the state.
///
/// ```swift
/// struct Claim: ContextualStateUpdater {
///     func updateState(_ state: inout Todos.State, in context: ReducerContext) throws {
///         guard let principal = context.principal else { throw Refusal.forbidden("Sign in.") }
///         state.owner = principal.name
///     }
/// }
/// ```
public protocol ContextualStateUpdater<State>: StateUpdater {
    /// The type of the state that the action changes.
    associatedtype State

    /// Changes the state, or refuses the action by throwing ``/StoreCore/Refusal``. The function
    /// must be pure, like a reducer.
    func updateState(_ state: inout State, in context: ReducerContext) throws
}

extension ContextualStateUpdater {
    /// Changes the state in a context without a sender. A store does not call this function.
    public func updateState(_ state: inout State) throws {
        try updateState(&state, in: ReducerContext())
    }

    /// The handling of a state updater: ``updateState(_:in:)`` is the action's reducer.
    public static var handling: ActionHandling { ActionHandling(ContextualHandling<Self>()) }
}

extension StateUpdater {
    /// The handling of a state updater: ``updateState(_:)`` is the action's reducer.
    public static var handling: ActionHandling { ActionHandling(UpdaterHandling<Self>()) }
}

private struct UpdaterHandling<Updater: StateUpdater>: HandlerMaker {
    func reducer<Root, State>(
        of module: String,
        at place: some SlicePlace<Root, State>
    ) -> SliceReducer<Root>? {
        let place = place as? any SlicePlace<Root, Updater.State>
        return place?.reducer(module) { (state, action: Updater) in
            try action.updateState(&state)
        }
    }

    func wholeStateReducer<Root>(of whole: RootMember<Root, Root>) -> SliceReducer<Root>? {
        let whole = whole as? RootMember<Root, Updater.State>
        return whole?.updatingReducer { (state, action: Updater, _) in
            try action.updateState(&state)
        }
    }
}

private struct ContextualHandling<Updater: ContextualStateUpdater>: HandlerMaker {
    func reducer<Root, State>(
        of module: String,
        at place: some SlicePlace<Root, State>
    ) -> SliceReducer<Root>? {
        let place = place as? any SlicePlace<Root, Updater.State>
        return place?.reducer(
            module,
            inContext: { (state: inout Updater.State, action: Updater, context) throws -> Void in
                try action.updateState(&state, in: context)
            }
        )
    }

    func wholeStateReducer<Root>(of whole: RootMember<Root, Root>) -> SliceReducer<Root>? {
        let whole = whole as? RootMember<Root, Updater.State>
        return whole?.updatingReducer { (state, action: Updater, origin) in
            try action.updateState(&state, in: origin.context(of: nil))
        }
    }
}
