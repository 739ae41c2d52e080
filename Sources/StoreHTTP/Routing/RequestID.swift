import Synchronization

/// The name of a request, so that a problem can be found again in the log.
///
/// Each has a number of its own behind a text that is chosen at random for the process: 15 bytes at
/// the most, up to 2 billion requests, which a `String` holds without an allocation.
struct RequestID: Sendable {
    private static let prefix: [UInt8] =
        (0..<8).map { _ in digits.randomElement() ?? 0 } + [UInt8(ascii: "-")]
    private static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
    private static let count = Atomic<UInt64>(0)

    private let number: UInt64

    /// A name that no other request of this or another process has.
    static func next() -> RequestID {
        RequestID(number: count.add(1, ordering: .relaxed).newValue)
    }

    var text: String {
        // 13 digits of base 36 hold any number of 64 bits.
        var end = Self.prefix.count
        var rest = number
        repeat {
            end += 1
            rest /= 36
        } while rest > 0
        return String(unsafeUninitializedCapacity: end) { bytes in
            for place in Self.prefix.indices { bytes[place] = Self.prefix[place] }
            var rest = number
            for place in stride(from: end - 1, through: Self.prefix.count, by: -1) {
                bytes[place] = Self.digits[Int(rest % 36)]
                rest /= 36
            }
            return end
        }
    }
}
