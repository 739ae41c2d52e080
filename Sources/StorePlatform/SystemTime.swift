import Glibc

/// Reads the system's clocks (`clock_gettime(2)`).
package enum SystemTime {
    /// Nanoseconds of the clock that is never set; where it begins is not defined.
    package static func steadyNanoseconds() -> UInt64 {
        UInt64(bitPattern: nanoseconds(of: CLOCK_MONOTONIC))
    }

    /// Seconds of the same clock.
    package static func steadySeconds() -> Double {
        let time = read(CLOCK_MONOTONIC)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Nanoseconds since the system's start. This clock is never set, and counts while the system
    /// sleeps, too.
    package static func bootNanoseconds() -> Int64 {
        nanoseconds(of: CLOCK_BOOTTIME)
    }

    /// Nanoseconds since 1970, as the operator has set the clock.
    package static func wallNanoseconds() -> Int64 {
        nanoseconds(of: CLOCK_REALTIME)
    }

    /// Seconds since 1970, as of the kernel's last tick: some milliseconds behind, and cheaper to
    /// read.
    package static func coarseWallSeconds() -> Int {
        read(CLOCK_REALTIME_COARSE).tv_sec
    }

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
