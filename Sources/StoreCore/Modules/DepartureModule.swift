/// A module that gets an action when a session departs: when the session's last open stream in this
/// store ends, and when the session ends.
///
/// The server counts the streams in memory, so a server that is killed dispatches no departures.
/// Therefore a store with this module has to keep its history in memory, too
/// (`Server.ephemeral(actionsMax:pace:)`). Otherwise the store does not start.
public protocol DepartureModule<State>: Module {
    /// The action for a session that has departed. The reducer gets the session as
    /// ``ReducerContext/session``.
    var departure: Internal { get }
}

extension Mount {
    /// The action of the module for a session that has departed; `nil` if the module has none.
    package var departureAction: (any Action)? { (module as? any DepartureModule)?.departureAction }
}

extension DepartureModule {
    fileprivate var departureAction: any StoreCore.Action { departure }
}
