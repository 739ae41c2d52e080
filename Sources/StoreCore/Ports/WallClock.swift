/// The port through which time comes in. The Core stamps it on each action; nothing else reads it.
public protocol WallClock: Sendable {
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    func now() -> Int64
}
