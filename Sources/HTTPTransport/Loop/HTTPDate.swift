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

/// The value of a `Date` field for the library: written once a second.
struct DateField {
    private(set) var second = Int.min
    private var text: [CChar] = [0]

    /// Brings it up to date.
    mutating func update() {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        guard time.tv_sec != second else { return }
        second = time.tv_sec
        text = CivilTime(secondsSince1970: Int64(second)).httpDate.utf8CString.map { $0 }
    }

    /// Lends the text, ended by NUL.
    func withText<R>(_ body: (UnsafePointer<CChar>) -> R) -> R {
        text.withUnsafeBufferPointer { text in
            text.baseAddress.map(body) ?? withUnsafePointer(to: 0, body)
        }
    }
}
