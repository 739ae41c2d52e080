/// The port through which the time of day comes in: the Core takes from it the time of each action.
public protocol WallClock: Sendable {
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    func now() -> Int64
}
