/// Receives what became of a change of routes.
public typealias RouteCompletion = @Sendable (RouteOutcome) -> Void

/// What became of a change of routes.
public enum RouteOutcome: Sendable, Equatable {
    /// The client has confirmed that it shows it.
    case shown
    /// It has not confirmed it within ``RouteWatch/secondsMax`` seconds.
    case unconfirmed
    /// It was not applied: the store has ended, or its journal failed.
    case dropped
}
