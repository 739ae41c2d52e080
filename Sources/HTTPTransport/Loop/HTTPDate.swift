import CHTTPD
import Glibc
import Wire

/// The time as the `Date` header has it.
package enum HTTPDate {
    /// Now.
    package static var now: String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return CivilTime(secondsSince1970: Int64(time.tv_sec)).httpDate
    }
}
