import Platform
import Synchronization

/// A clock for ages: it starts at the time of day and then follows the monotonic clock.
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

    /// Sets the clock ahead to a time that an earlier process saw, where it is not there yet.
    public func goOn(from time: Int64) {
        let (wanted, isOver) = time.subtractingReportingOverflow(SystemTime.bootNanoseconds())
        if !isOver { offset.max(wanted, ordering: .relaxed) }
    }
}
