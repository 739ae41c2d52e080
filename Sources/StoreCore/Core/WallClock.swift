import StorePlatform
import Synchronization

/// The port that supplies the time of day. The Core stamps each action with this time.
public protocol WallClock: Sendable {
    /// Returns the nanoseconds since 1970-01-01T00:00:00Z.
    func now() -> Int64
}

/// The system's time of day.
public struct SystemClock: WallClock {
    /// Makes the clock.
    public init() {}

    /// Returns the time of day, in nanoseconds since 1970.
    public func now() -> Int64 { SystemTime.wallNanoseconds() }
}

/// A clock for ages, such as the age of a session or of a stored idempotency key. The clock starts
/// at the time of day and then follows the monotonic clock.
///
/// Setting the time of day while the process runs does not change an age.
public final class SteadyClock: WallClock {
    /// The nanoseconds that are added to the time since the system's start.
    private let offsetNanoseconds: Atomic<Int64>

    /// Makes a clock that shows the time of day at this moment.
    public init() {
        offsetNanoseconds = Atomic(
            SystemTime.wallNanoseconds() &- SystemTime.nanosecondsSinceBoot()
        )
    }

    /// Returns the time in nanoseconds since 1970. The result is right if the time of day was right
    /// when the clock began.
    public func now() -> Int64 {
        SystemTime.nanosecondsSinceBoot() &+ offsetNanoseconds.load(ordering: .relaxed)
    }

    /// Sets the clock ahead to `time`, the last time of an earlier process, if the clock is behind
    /// that time. Without this call, entries of the earlier process could seem to come from the
    /// future.
    public func advance(toAtLeast time: Int64) {
        // Takes the maximum, so that the clock never goes back.
        let (wanted, isOver) = time.subtractingReportingOverflow(SystemTime.nanosecondsSinceBoot())
        if !isOver { offsetNanoseconds.max(wanted, ordering: .relaxed) }
    }
}
