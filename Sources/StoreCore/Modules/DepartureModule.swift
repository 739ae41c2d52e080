/// A module that gets an action when a session departs: when its last open stream in this store
/// ends, and when the session ends.
///
/// The server counts the streams in memory, and a kill dispatches no action. So the history of the
/// store is in memory, too (`Server.ephemeral(actionsMax:pace:)`), or the store does not start.
public protocol DepartureModule<State>: Module {
    /// The action for the session that has departed. The session is the session of its context.
    var departure: Internal { get }
}

extension Mount {
    /// The action of the module for a session that has departed; `nil` if the module has none.
    package var departureAction: (any Action)? { (module as? any DepartureModule)?.departureAction }
}

extension DepartureModule {
    fileprivate var departureAction: any StoreCore.Action { departure }
}
