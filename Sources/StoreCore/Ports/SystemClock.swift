import Glibc

/// The system's own time.
public struct SystemClock: WallClock {
    /// Makes the clock.
    public init() {}

    /// The system's time now, in nanoseconds since 1970.
    public func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
