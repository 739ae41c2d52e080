import Glibc

/// A text that equals another text only if both have the same bytes in UTF-8.
///
/// `String` compares by canonical equivalence: `"\u{E9}" == "e\u{301}"`, the two spellings of é. A
/// dictionary whose keys are strings can therefore contain only one of the two spellings. JSON,
/// URLs, file names and databases have both spellings. File names on macOS often have the second
/// spelling, and most keyboards write the first spelling.
///
/// A state uses exact texts for the keys of a dictionary if clients choose the keys:
///
/// ```swift
/// struct State: ModuleState {
///     var votes: [ExactText: Int] = [:]
/// }
///
/// state.votes[ExactText(action.name), default: 0] += 1
/// ```
///
/// With `[String: Int]`, the decoder refuses a document that has both spellings, because one of the
/// two values would be lost. `String` is right for keys that the program itself chooses, and for
/// texts that are only shown. In JSON, an exact text is a string or the name of a member.
///
/// Cost of a comparison: `memcmp` of the bytes.
public struct ExactText: Sendable {
    /// The text itself.
    public let text: String

    /// Makes an exact text from a string.
    public init(_ text: String) { self.text = text }
}

extension ExactText: Hashable {
    /// True if both texts have the same bytes.
    public static func == (a: ExactText, b: ExactText) -> Bool { a.text.isSame(as: b.text) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        let isHashed: Void? = text.utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isHashed == nil { for byte in text.utf8 { hasher.combine(byte) } }
        // No text has this byte. The byte marks the end of the text, so that the pairs "a", "bc"
        // and "ab", "c" have different hashes.
        hasher.combine(0xFF as UInt8)
    }
}

extension ExactText: Comparable {
    /// Compares the bytes. The order of the bytes is also the order of the Unicode code points.
    public static func < (a: ExactText, b: ExactText) -> Bool {
        a.text.byteOrder(comparedTo: b.text) < 0
    }
}

extension ExactText: Codable {
    /// Reads a string.
    public init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension ExactText: CodingKeyRepresentable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// The text as the name of a member.
    public var codingKey: any CodingKey { Key(stringValue: text) }

    /// Makes an exact text from the name of a member.
    public init(codingKey: some CodingKey) { text = codingKey.stringValue }
}

extension ExactText: ExpressibleByStringLiteral {
    /// Makes an exact text from a literal.
    public init(stringLiteral text: String) { self.text = text }
}

extension ExactText: CustomStringConvertible {
    /// The text itself.
    public var description: String { text }
}

extension String {
    /// Returns true if both texts have the same bytes. `==` also returns true for two spellings of
    /// é.
    package func isSame(as other: String) -> Bool {
        utf8.count == other.utf8.count && byteOrder(comparedTo: other) == 0
    }

    /// Compares the bytes with the bytes of another text. Returns a number below 0 if this text
    /// comes first, 0 if the bytes are the same, and a number above 0 otherwise.
    package func byteOrder(comparedTo other: String) -> Int {
        let order = utf8.withContiguousStorageIfAvailable { mine in
            other.utf8.withContiguousStorageIfAvailable { theirs in
                let common = min(mine.count, theirs.count)
                guard common > 0, let a = mine.baseAddress, let b = theirs.baseAddress else {
                    return mine.count - theirs.count
                }
                let order = Int(memcmp(a, b, common))
                return order != 0 ? order : mine.count - theirs.count
            }
        }
        if let order = order.flatMap(\.self) { return order }
        if utf8.elementsEqual(other.utf8) { return 0 }
        return utf8.lexicographicallyPrecedes(other.utf8) ? -1 : 1
    }

    /// The text with A to Z in lower case, and all other letters unchanged.
    ///
    /// `lowercased()` also turns the Kelvin sign, U+212A, into a plain k. A host or a token must
    /// not contain that sign, so the sign must stay different from k.
    package var lowercasedASCII: String {
        guard utf8.contains(where: { 0x41...0x5A ~= $0 }) else { return self }
        return String(decoding: utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension Sequence<String> {
    /// Returns true if one of the texts has the same bytes as `text`.
    package func contains(exactly text: String) -> Bool { contains { $0.isSame(as: text) } }
}
