import StorePlatform
import Synchronization

/// A clock that measures how old something is, such as a session or a kept idempotency key. It
/// starts at the time of day and then follows the monotonic clock.
///
/// Setting the time of day while the process runs does not change the age of anything.
public final class SteadyClock: WallClock {
    /// What is added to the time since the system's start.
    private let offset: Atomic<Int64>

    /// Makes a clock that shows the time of day at this moment.
    public init() {
        offset = Atomic(SystemTime.wallNanoseconds() &- SystemTime.bootNanoseconds())
    }

    /// Nanoseconds since 1970, as far as the time of day was right when the clock began.
    public func now() -> Int64 {
        SystemTime.bootNanoseconds() &+ offset.load(ordering: .relaxed)
    }

    /// Sets the clock ahead to a time that an earlier process saw, if it is behind that: so nothing
    /// that the earlier process kept seems to come from the future.
    public func goOn(from time: Int64) {
        // The maximum: the clock never goes back.
        let (wanted, isOver) = time.subtractingReportingOverflow(SystemTime.bootNanoseconds())
        if !isOver { offset.max(wanted, ordering: .relaxed) }
    }
}
