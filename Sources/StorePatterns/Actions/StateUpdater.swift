public import StoreCore

/// An action that changes a slice of the state by a function of its own.
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
public protocol StateUpdater<State>: Dispatchable {
    /// The slice that it changes: the state of the module that lists it.
    associatedtype State: ModuleState

    /// Changes the slice, or refuses by throwing ``/StoreCore/Refusal``. Pure, as a reducer is.
    func updateState(_ state: inout State) throws
}

extension StateUpdater {
    /// It changes the slice.
    public static var handling: ActionHandling { ActionHandling(UpdaterHandling<Self>()) }
}

private struct UpdaterHandling<Updater: StateUpdater>: HandlerMaker {
    func handler<Root, State>(
        of module: String,
        at place: SlicePlace<Root, State>
    ) -> ActionHandler<Root>? {
        guard let place = place as? SlicePlace<Root, Updater.State> else { return nil }
        return ActionHandler(
            Updater.self,
            .dispatchable,
            wire: Updater.self,
            reduce: place.reducing(module) { (state: inout Updater.State, action: Updater) in
                try action.updateState(&state)
            }
        )
    }
}
