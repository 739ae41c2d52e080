/// A continuous history of a store: 8 lower-case hexadecimal digits on the wire (protocol 1.1).
///
/// A new epoch is drawn whenever a history is not continued. No id of the old history can then be
/// mistaken for an id of the new one.
package struct Epoch: Sendable, Hashable, CustomStringConvertible {
    /// The number of bytes of the wire form.
    package static let bytesCount = 8

    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Reads exactly 8 lower-case hexadecimal digits; returns `nil` for any other text.
    package init?(_ text: some StringProtocol) {
        var value: UInt32 = 0
        var count = 0
        for byte in text.utf8 {
            guard let digit = Epoch.digit(byte), count < Epoch.bytesCount else { return nil }
            value = value << 4 | digit
            count += 1
        }
        guard count == Epoch.bytesCount else { return nil }
        rawValue = value
    }

    package var description: String {
        String(unsafeUninitializedCapacity: Epoch.bytesCount) { buffer in
            for index in 0..<Epoch.bytesCount {
                let digit = UInt8(truncatingIfNeeded: rawValue >> (28 - 4 * UInt32(index))) & 0xF
                buffer[index] =
                    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            }
            return Epoch.bytesCount
        }
    }

    private static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        default: nil
        }
    }
}
