import StorePlatform

/// The system's own time.
public struct SystemClock: WallClock {
    /// Makes the clock.
    public init() {}

    /// The system's time now, in nanoseconds since 1970.
    public func now() -> Int64 {
        SystemTime.wallNanoseconds()
    }
}
