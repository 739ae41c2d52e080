/// An action with a type of its own. A module lists the type in ``Module/dispatchables``, or the
/// root state lists it in ``RootState/dispatchables``.
///
/// `StorePatterns` has the two kinds: a `StateUpdater` changes the slice itself, and a `SideEffect`
/// does work outside the Core.
public protocol Dispatchable: Action, Codable {
    /// The way in which a store handles actions of this type. `StateUpdater` and `SideEffect`
    /// implement this property.
    static var handling: ActionHandling { get }
}

/// The way in which a store handles the actions of a ``Dispatchable`` type.
public struct ActionHandling: Sendable {
    package let maker: any HandlerMaker

    package init(_ maker: any HandlerMaker) { self.maker = maker }
}

/// The maker of the reducers and the effects for one type of action.
package protocol HandlerMaker: Sendable {
    /// Returns the reducer for the slices at `place`; `nil` if the actions change another type of
    /// state.
    func reducer<Root: RootState, State: ModuleState>(
        of module: String,
        at place: some SlicePlace<Root, State>
    ) -> SliceReducer<Root>?

    /// The policy for the unfinished work of these actions when the store starts again.
    var onRestart: RestartPolicy { get }

    /// Returns the effect that runs the kept work of an action again; `nil` if the action belongs
    /// to another type of state.
    func effect<State: ModuleState>(
        restoring work: KeptWork,
        _ codec: any WorkCodec
    ) throws -> Effect<State>?

    /// Returns the reducer for the whole state; `nil` if the actions change another type of state,
    /// or no state.
    func wholeStateReducer<Root: RootState>(of whole: RootMember<Root, Root>) -> SliceReducer<Root>?
}

extension HandlerMaker {
    package var onRestart: RestartPolicy { .lost }

    package func effect<State: ModuleState>(
        restoring work: KeptWork,
        _ codec: any WorkCodec
    ) -> Effect<State>? { nil }

    package func wholeStateReducer<Root>(of whole: RootMember<Root, Root>) -> SliceReducer<Root>? {
        nil
    }
}
