import StoreTexts

/// A collection that the encoder encodes element by element, without calling the collection's
/// `encode(to:)`.
package protocol CollectionEncodable {
    static func encode<T>(_ value: T, to state: EncodingStatePointer) throws
}

extension Array: CollectionEncodable where Element: Encodable {
    package static func encode<T>(_ value: T, to state: EncodingStatePointer) throws {
        // Safety: the plan of a type is made from its own conformance, so `T` is `Self`.
        let array = unsafeBitCast(value, to: Self.self)
        let level = state.pointee.depth
        guard level < JSONLimits.depthCeiling else { throw EncodingError.tooDeep(value) }
        let serial = state.pointee.open(UInt8(ascii: "["), UInt8(ascii: "]"))
        var container = UnkeyedEncoding(
            state: state,
            level: UInt32(truncatingIfNeeded: level &+ 1),
            serial: serial
        )
        for element in array { try container.encode(element) }
        state.pointee.closeContainers(deeperThan: level)
    }
}

/// A collection whose elements have no order, such as a set. The encoder writes the elements in
/// sorted order.
protocol UnorderedEncodable: CollectionEncodable {
    /// Returns the members or elements of the collection, for the slow path.
    static func parts(of value: Any) throws -> UnorderedParts
}

enum UnorderedParts {
    /// The members of an object, sorted by name.
    case sortedMembers([(key: String, value: any Encodable)])
    /// The elements of an array, not sorted yet. An element of a set is one value. A member of a
    /// dictionary is two values: the key and the value.
    case unsortedElements([[any Encodable]])
}

extension Dictionary: CollectionEncodable, UnorderedEncodable
where Key: Encodable, Value: Encodable {
    package static func encode<T>(_ value: T, to state: EncodingStatePointer) throws {
        guard let dictionary = value as? Self else { return }
        if let named = try Self.namedMembers(of: dictionary) { return try encode(named, to: state) }
        // For other keys, write an array of key, value, key, value…, like the standard library.
        try SortedArrayWriter.write(dictionary, to: state) { member in
            try state.encode(member.key)
            state.pointee.output.byte(UInt8(ascii: ","))
            try state.encode(member.value)
        }
    }

    static func parts(of value: Any) throws -> UnorderedParts {
        guard let dictionary = value as? Self else { return .sortedMembers([]) }
        if let named = try Self.namedMembers(of: dictionary) {
            return .sortedMembers(named.names.map { ($0.text, named.values[$0.valueIndex]) })
        }
        return .unsortedElements(dictionary.map { [$0.key, $0.value] })
    }

    /// The sorted names, each with the index of its value, and the unsorted values.
    private typealias NamedMembers = (names: [IndexedName], values: [Value])

    /// Returns the members in the order of their names; `nil` if the keys have a type without
    /// names.
    private static func namedMembers(of dictionary: Self) throws -> NamedMembers? {
        // A cast of the whole dictionary would make a new dictionary with another order. Safety:
        // each key is cast only to the type that it has.
        let values = Array(dictionary.values)
        if Key.self == Int.self {
            let keys = dictionary.keys.map { unsafeBitCast($0, to: Int.self) }
            let places = keys.indices.sorted { keys[$0] < keys[$1] }
            return (places.map { IndexedName(String(keys[$0]), at: $0) }, values)
        }
        var names: [IndexedName] = []
        names.reserveCapacity(values.count)
        if Key.self == String.self {
            for key in dictionary.keys {
                names.append(IndexedName(unsafeBitCast(key, to: String.self), at: names.count))
            }
        } else if Key.self == ExactText.self {
            for key in dictionary.keys {
                let key = unsafeBitCast(key, to: ExactText.self)
                names.append(IndexedName(key.text, at: names.count))
            }
        } else if Key.self is any CodingKeyRepresentable.Type {
            for key in dictionary.keys {
                guard let key = key as? any CodingKeyRepresentable else { return nil }
                names.append(IndexedName(key.codingKey.stringValue, at: names.count))
            }
        } else {
            return nil
        }
        names.sort { $0.precedes($1) }
        for (name, next) in zip(names, names.dropFirst()) where name.isSame(as: next) {
            let message = "Two keys of the dictionary are written \"\(name.text)\"."
            throw EncodingError.invalid(dictionary, message)
        }
        return (names, values)
    }

    private static func encode(_ members: NamedMembers, to state: EncodingStatePointer) throws {
        let level = state.pointee.depth
        guard level < JSONLimits.depthCeiling else { throw EncodingError.tooDeep(level) }
        let serial = state.pointee.open(UInt8(ascii: "{"), UInt8(ascii: "}"))
        for name in members.names {
            _ = state.pointee.beginWrite(UInt32(level + 1), serial)
            state.pointee.output.string(name.text)
            state.pointee.output.byte(UInt8(ascii: ":"))
            try state.encode(members.values[name.valueIndex])
        }
        state.pointee.closeContainers(deeperThan: level)
    }
}

extension Set: CollectionEncodable, UnorderedEncodable where Element: Encodable {
    package static func encode<T>(_ value: T, to state: EncodingStatePointer) throws {
        guard let set = value as? Self else { return }
        try SortedArrayWriter.write(set, to: state) { try state.encode($0) }
    }

    static func parts(of value: Any) throws -> UnorderedParts {
        .unsortedElements((value as? Self ?? []).map { [$0] })
    }
}

/// A writer of arrays in sorted order. The writer encodes all elements, then sorts the encoded
/// elements by their bytes.
enum SortedArrayWriter {
    static func write<S: Sequence>(
        _ elements: S,
        to state: EncodingStatePointer,
        encode: (S.Element) throws -> Void
    ) throws {
        let level = state.pointee.depth
        guard level < JSONLimits.depthCeiling else { throw EncodingError.tooDeep(level) }
        // Sorting moves the elements, so their tables have no fixed offsets.
        let keepsTablesApart = state.pointee.keepsTablesApart
        state.pointee.keepsTablesApart = false
        defer { state.pointee.keepsTablesApart = keepsTablesApart }
        _ = state.pointee.open(UInt8(ascii: "["), UInt8(ascii: "]"))
        let start = state.pointee.output.count
        var fragments: [[UInt8]] = []
        for element in elements {
            let from = state.pointee.output.count
            try encode(element)
            fragments.append(Array(state.pointee.output.bytes[from...]))
        }
        state.pointee.output.truncate(to: start)
        fragments.sort { $0.lexicographicallyPrecedes($1) }
        for (index, fragment) in fragments.enumerated() {
            if index > 0 { state.pointee.output.byte(UInt8(ascii: ",")) }
            state.pointee.output.raw(fragment)
        }
        state.pointee.closeContainers(deeperThan: level)
    }
}

/// The name of a dictionary's key, with the index of its value.
///
/// Sorting moves each element many times, and values may be large. So the names are sorted without
/// the values. Most comparisons need only the first eight bytes of the names.
struct IndexedName {
    let text: String
    let valueIndex: Int
    /// The first eight bytes of the text as a number. The first byte is the highest byte. In a
    /// shorter text, the missing bytes are 0.
    private let firstEightBytes: UInt64

    init(_ text: String, at place: Int) {
        self.text = text
        self.valueIndex = place
        var beginning: UInt64 = 0
        var count: UInt64 = 0
        for byte in text.utf8.prefix(8) {
            beginning = beginning << 8 | UInt64(byte)
            count += 1
        }
        self.firstEightBytes = count == 0 ? 0 : beginning << (8 * (8 - count))
    }

    /// Returns true if this name precedes the other name in the order of bytes.
    func precedes(_ other: Self) -> Bool {
        if firstEightBytes != other.firstEightBytes {
            return firstEightBytes < other.firstEightBytes
        }
        return text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    func isSame(as other: Self) -> Bool {
        firstEightBytes == other.firstEightBytes && text.utf8.elementsEqual(other.text.utf8)
    }
}
