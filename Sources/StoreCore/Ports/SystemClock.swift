import StorePlatform

/// The system's time of day.
public struct SystemClock: WallClock {
    /// Makes the clock.
    public init() {}

    /// Returns the time of day, in nanoseconds since 1970.
    public func now() -> Int64 {
        SystemTime.wallNanoseconds()
    }
}
