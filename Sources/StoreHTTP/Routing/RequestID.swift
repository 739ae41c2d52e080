import Synchronization

/// The name of a request, so that a problem can be found again in the log: 15 bytes at the most, up
/// to 2 billion requests, which a `String` holds without an allocation.
struct RequestID: Sendable {
    /// How many random digits it begins with.
    fileprivate static let randomCount = 8
    fileprivate static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)

    /// The random digits, one in each byte.
    fileprivate let beginning: UInt64
    fileprivate let number: UInt64

    /// The digits of the server, a hyphen, and the number of the request: `k3j9x0qa-1f`.
    var text: String {
        let start = Self.randomCount + 1
        // 13 digits of base 36 hold any number of 64 bits.
        var end = start
        var rest = number
        repeat {
            end += 1
            rest /= 36
        } while rest > 0
        return String(unsafeUninitializedCapacity: end) { bytes in
            for place in 0..<Self.randomCount {
                bytes[place] = UInt8(truncatingIfNeeded: beginning >> UInt64(8 * place))
            }
            bytes[Self.randomCount] = UInt8(ascii: "-")
            var rest = number
            for place in stride(from: end - 1, through: start, by: -1) {
                bytes[place] = Self.digits[Int(rest % 36)]
                rest /= 36
            }
            return end
        }
    }
}

/// Names the requests of a server: digits that are chosen at random for it, and a number that
/// grows. So no other request of this or another process has the same name.
package final class RequestIDs: Sendable {
    private let beginning: UInt64
    private let count = Atomic<UInt64>(0)

    package init() {
        beginning = (0..<RequestID.randomCount).reduce(0) { digits, _ in
            digits << 8 | UInt64(RequestID.digits.randomElement() ?? UInt8(ascii: "0"))
        }
    }

    /// A name for the next request. Any thread.
    func next() -> RequestID {
        RequestID(beginning: beginning, number: count.add(1, ordering: .relaxed).newValue)
    }
}
