import Glibc

/// Reads the system's clocks (`clock_gettime(2)`).
package enum SystemTime {
    /// Returns nanoseconds of a clock that is never set. The zero of the clock is undefined.
    package static func steadyNanoseconds() -> UInt64 {
        UInt64(bitPattern: nanoseconds(of: CLOCK_MONOTONIC))
    }

    package static func steadySeconds() -> Double {
        let time = read(CLOCK_MONOTONIC)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Returns nanoseconds since the system's start, including sleep. The clock is never set.
    package static func nanosecondsSinceBoot() -> Int64 { nanoseconds(of: CLOCK_BOOTTIME) }

    /// Returns nanoseconds since 1970, by the clock that the operator sets.
    package static func wallNanoseconds() -> Int64 { nanoseconds(of: CLOCK_REALTIME) }

    /// Returns seconds since 1970, as of the kernel's last tick. The result may be some
    /// milliseconds old, but costs less than the time of another clock.
    package static func coarseWallSeconds() -> Int { read(CLOCK_REALTIME_COARSE).tv_sec }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        let time = read(clock)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }
}

/// A moment by which work that consists of several steps must be done.
package struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    package init(seconds: Double) { end = .now + .seconds(seconds) }

    package var isOver: Bool { ContinuousClock.now >= end }

    /// The seconds that are left, never below 0.
    package var secondsLeft: Double { max(0, ContinuousClock.now.duration(to: end) / .seconds(1)) }
}
