/// An action with a type of its own, which a module lists in ``Module/dispatchables``, or the root
/// state in ``RootState/dispatchables``.
///
/// `StorePatterns` has the two kinds that there are: a `StateUpdater` changes the slice itself, a
/// `SideEffect` works outside of it.
public protocol Dispatchable: Action, Codable {
    /// How a store handles such actions. Each kind has one way for all its types.
    static var handling: ActionHandling { get }
}

/// How a store handles the actions of a ``Dispatchable`` type.
public struct ActionHandling: Sendable {
    package let maker: any HandlerMaker

    package init(_ maker: any HandlerMaker) {
        self.maker = maker
    }
}

/// Makes the handler of one type of action.
package protocol HandlerMaker: Sendable {
    /// The handler of such actions for the slice at a place; `nil` where they are for another
    /// state.
    func handler<Root: RootState, State: ModuleState>(
        of module: String,
        at place: SlicePlace<Root, State>
    ) -> ActionHandler<Root>?

    /// What becomes of the work of such actions when the server ends before it does.
    var onRestart: RestartPolicy { get }

    /// The work of such an action that the ledger has kept; `nil` if it is for another state.
    func effect<State: ModuleState>(
        again work: KeptWork,
        _ codec: any WorkCodec
    ) throws -> Effect<State>?

    /// The handler of such actions for the whole state; `nil` where they are for another one, or
    /// such actions change no state.
    func handler<Root: RootState>(of whole: RootMember<Root, Root>) -> ActionHandler<Root>?
}

extension HandlerMaker {
    package var onRestart: RestartPolicy { .lost }

    package func effect<State: ModuleState>(
        again work: KeptWork,
        _ codec: any WorkCodec
    ) -> Effect<State>? { nil }
}
