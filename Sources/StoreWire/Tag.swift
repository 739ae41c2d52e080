import StoreTexts

/// The public id of a state, `<epoch>:<version>` (protocol 1.1).
///
/// A tag is the value of an `ETag` (in quotes), the id of a server-sent event, and the value of
/// `Last-Event-ID`.
package struct Tag: Sendable, Hashable, CustomStringConvertible {
    /// The maximum number of bytes of the wire form: 8 digits, a colon, and the 20 digits of the
    /// greatest version.
    package static let bytesMax = Epoch.bytesCount + 1 + 20

    package let epoch: Epoch
    package let version: UInt64

    package init(epoch: Epoch, version: UInt64) {
        self.epoch = epoch
        self.version = version
    }

    /// Reads the wire form strictly. Returns `nil` if the text has a sign, a leading zero of the
    /// version, a space or anything after the version.
    ///
    /// Each tag has exactly one spelling, so clients can compare tags byte for byte.
    package init?(_ text: some StringProtocol) {
        let text = Substring(text)
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            let epoch = Epoch(text[..<colon]),
            let version = UInt64(decimal: text[text.utf8.index(after: colon)...])
        else { return nil }
        self.init(epoch: epoch, version: version)
    }

    /// Reads the opaque text of a strong entity tag. Returns `nil` for a weak entity tag, because a
    /// version's entity tag is never weak.
    package init?(_ entityTag: EntityTag) {
        guard !entityTag.isWeak else { return nil }
        self.init(entityTag.opaqueTag)
    }

    package var description: String { "\(epoch):\(version)" }

    /// The tag as the value of an `ETag` header: a strong entity tag, in quotes.
    package var etag: String { "\"\(description)\"" }
}

/// The name of one unbroken history of a store: 8 lower-case hexadecimal digits on the wire
/// (protocol 1.1).
///
/// If a store does not continue its old history, it draws a new random epoch. So no tag of the old
/// history is a tag of the new history.
package struct Epoch: Sendable, Hashable, CustomStringConvertible {
    /// The number of bytes of the wire form.
    package static let bytesCount = 8

    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Reads exactly 8 lower-case hexadecimal digits; returns `nil` for any other text.
    package init?(_ text: some StringProtocol) {
        let digits = text.utf8
        guard digits.count == Epoch.bytesCount,
            digits.allSatisfy({ $0.isDigit || 0x61...0x66 ~= $0 }),
            let value = UInt32(text, radix: 16)
        else { return nil }
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
}
