import StoreTexts

/// Header fields in their order. A name may occur several times, and its case does not matter.
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// A header field.
    public struct Field: Sendable, Equatable {
        /// The name as it was written.
        public let name: String
        /// The value, without white space around it.
        public let value: String
    }

    /// The fields.
    public private(set) var fields: [Field] = []

    /// Makes fields from names and values.
    public init(dictionaryLiteral fields: (String, String)...) {
        for (name, value) in fields { add(name, value) }
    }

    /// Adds a field after the others.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Returns the value of the first field with this name; `nil` if there is no such field.
    public subscript(name: String) -> String? {
        let name = name.lowercasedASCII
        return fields.first { $0.name.lowercasedASCII == name }?.value
    }

    mutating func removeAll() { fields.removeAll(keepingCapacity: true) }
}

extension HTTPHeaders.Field {
    /// True if name and value may be sent (RFC 9110 §5.1, §5.5). A line break in a name or value
    /// would begin another field.
    package var isWellFormed: Bool {
        name.isToken && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}

extension String {
    /// True if the text is a token (RFC 9110 §5.6.2).
    var isToken: Bool {
        !utf8.isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
