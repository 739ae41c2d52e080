import StorePlatform
import StoreWire

/// The time in the form of the `Date` header.
package enum HTTPDate {
    /// The present time.
    package static var now: String {
        CivilTime(secondsSince1970: SystemTime.wallNanoseconds() / 1_000_000_000).httpDate
    }
}

/// The value of a `Date` field for the library, which is written once a second.
struct DateField {
    private(set) var second = Int.min
    private var text: [CChar] = [0]

    /// Updates the text if the second has changed.
    mutating func update() {
        let now = SystemTime.coarseWallSeconds()
        guard now != second else { return }
        second = now
        text = CivilTime(secondsSince1970: Int64(second)).httpDate.utf8CString.map { $0 }
    }

    /// Lends the text, which ends with NUL.
    func withText<R>(_ body: (UnsafePointer<CChar>) -> R) -> R {
        text.withUnsafeBufferPointer { text in
            text.baseAddress.map(body) ?? withUnsafePointer(to: 0, body)
        }
    }
}
