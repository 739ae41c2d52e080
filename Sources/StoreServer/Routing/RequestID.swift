import Synchronization

/// Names for requests, so that a problem can be found again in the log.
///
/// Each has a number of its own behind a text that is chosen at random for the process: 15 bytes at the
/// most, up to 2 billion requests, which a `String` holds without an allocation.
enum RequestID {
    private static let prefix: [UInt8] = (0..<8).map { _ in digits.randomElement() ?? 0 }
    private static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
    private static let count = Atomic<UInt64>(0)

    /// A name that no other request of this or another process has.
    static func next() -> String {
        text(of: count.add(1, ordering: .relaxed).newValue)
    }

    private static func text(of number: UInt64) -> String {
        // 13 digits of base 36 hold any number of 64 bits.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 22) { bytes in
            var start = bytes.count
            var rest = number
            repeat {
                start -= 1
                bytes[start] = digits[Int(rest % 36)]
                rest /= 36
            } while rest > 0
            start -= 1
            bytes[start] = UInt8(ascii: "-")
            for byte in prefix.reversed() {
                start -= 1
                bytes[start] = byte
            }
            return String(decoding: bytes[start...], as: UTF8.self)
        }
    }
}
