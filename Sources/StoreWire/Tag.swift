import StoreTexts

/// A point of a store's history, `<epoch>:<version>`: the only public id (protocol 1.1).
///
/// The tag is the `ETag` (in quotes), the id of a server-sent event, and the value of
/// `Last-Event-ID`.
package struct Tag: Sendable, Hashable, CustomStringConvertible {
    /// The longest wire form: 8 digits, a colon, and the 20 digits of the greatest version.
    package static let bytesMax = Epoch.bytesCount + 1 + 20

    package let epoch: Epoch
    package let version: UInt64

    package init(epoch: Epoch, version: UInt64) {
        self.epoch = epoch
        self.version = version
    }

    /// Reads the wire form strictly: no sign, no leading zero, no space, nothing after the version.
    ///
    /// Each tag has exactly one spelling, so that two ids are equal exactly if their bytes are
    /// equal.
    package init?(_ text: some StringProtocol) {
        let text = Substring(text)
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            let epoch = Epoch(text[..<colon]),
            let version = UInt64(decimal: text[text.utf8.index(after: colon)...])
        else { return nil }
        self.init(epoch: epoch, version: version)
    }

    /// Reads the opaque part of a strong entity tag; returns `nil` for a weak one, which never
    /// names a version.
    package init?(_ entityTag: EntityTag) {
        guard !entityTag.isWeak else { return nil }
        self.init(entityTag.opaque)
    }

    package var description: String { "\(epoch):\(version)" }

    /// The tag in the form of an `ETag` header: strong, in quotes.
    package var etag: String { "\"\(description)\"" }
}

/// A continuous history of a store: 8 lower-case hexadecimal digits on the wire (protocol 1.1).
///
/// A store draws a new epoch if it does not continue its history. No id of the old history can then
/// be mistaken for an id of the new one.
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
