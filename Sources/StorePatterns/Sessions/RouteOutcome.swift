/// Receives what became of a change of routes.
public typealias RouteCompletion = @Sendable (RouteOutcome) -> Void

/// What became of a change of routes.
public enum RouteOutcome: Sendable, Equatable {
    /// The clients of all its sessions have confirmed that they show it.
    case shown
    /// Some have not confirmed it within ``RouteWatch/secondsMax`` seconds.
    case unconfirmed
    /// It was not applied: the store has ended, or its journal failed.
    case dropped
}
