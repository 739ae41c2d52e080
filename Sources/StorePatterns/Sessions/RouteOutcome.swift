/// Receives the outcome of a change of routes.
public typealias RouteCompletion = @Sendable (RouteOutcome) -> Void

/// The outcome of a change of routes.
public enum RouteOutcome: Sendable, Equatable {
    /// The client has confirmed that it shows the route.
    case shown
    /// The client has not confirmed the route within ``RouteWatch/secondsMax`` seconds.
    case unconfirmed
    /// The change was not applied: the store has ended, or its journal failed.
    case dropped
}
