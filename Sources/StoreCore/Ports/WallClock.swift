/// The port that supplies the time of day. The Core stamps each action with it.
public protocol WallClock: Sendable {
    /// Returns the nanoseconds since 1970-01-01T00:00:00Z.
    func now() -> Int64
}
