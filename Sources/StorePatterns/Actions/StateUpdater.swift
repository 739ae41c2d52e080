public import StoreCore

/// An action that changes a slice of the state, or the whole of it, by a function of its own.
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
/// An action whose `State` is the root state may change several slices in one version. List it in
/// ``/StoreCore/RootState/dispatchables``:
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
    /// The state that it changes: the state of the module that lists it, or the root state.
    associatedtype State: ModuleState

    /// Changes the state, or refuses the action by throwing ``/StoreCore/Refusal``. Pure, as a
    /// reducer is.
    func updateState(_ state: inout State) throws
}

extension StateUpdater {
    /// The handling: the action changes the state.
    public static var handling: ActionHandling { ActionHandling(UpdaterHandling<Self>()) }
}

private struct UpdaterHandling<Updater: StateUpdater>: HandlerMaker {
    func handler<Root, State>(
        of module: String,
        at place: some SlicePlace<Root, State>
    ) -> ActionHandler<Root>? {
        guard let place = place as? any SlicePlace<Root, Updater.State> else { return nil }
        return ActionHandler(
            Updater.self,
            .dispatchable,
            wire: Updater.self,
            reduce: place.reducing(module) { (state: inout Updater.State, action: Updater) in
                try action.updateState(&state)
            }
        )
    }
    func handler<Root>(of whole: RootMember<Root, Root>) -> ActionHandler<Root>? {
        guard let whole = whole as? RootMember<Root, Updater.State> else { return nil }
        return ActionHandler(
            Updater.self,
            .dispatchable,
            wire: Updater.self,
            reduce: whole.updating { (state: inout Updater.State, action: Updater) in
                try action.updateState(&state)
            }
        )
    }
}
