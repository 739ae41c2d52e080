import StoreTexts

/// A collection without an order of its own, which is therefore written in sorted order.
protocol UnorderedEncodable: CollectionEncodable {
    /// What the collection is made of, for the long way.
    static func parts(of value: Any) throws -> UnorderedParts
}

enum UnorderedParts {
    /// The members of an object, sorted.
    case named([(key: String, value: any Encodable)])
    /// The elements of an array, to be sorted by their bytes.
    case unnamed([[any Encodable]])
}

extension Dictionary: CollectionEncodable, UnorderedEncodable
where Key: Encodable, Value: Encodable {
    static func encode<T>(_ value: T, to state: EncodingStatePointer) throws {
        guard let dictionary = value as? Self else { return }
        if let named = try Self.named(dictionary) {
            try encodeObject(named, to: state)
        } else {
            try encodeArray(dictionary, to: state)
        }
    }

    static func parts(of value: Any) throws -> UnorderedParts {
        guard let dictionary = value as? Self else { return .named([]) }
        if let named = try Self.named(dictionary) {
            return .named(named.map { ($0.key, $0.value) })
        }
        return .unnamed(dictionary.map { [$0.key, $0.value] })
    }

    /// The members by their text, in their order; `nil` where the keys are no names.
    private static func named(_ dictionary: Self) throws -> [(key: String, value: Value)]? {
        if let byInt = dictionary as? [Int: Value] {
            return byInt.sorted { $0.key < $1.key }.map { (String($0.key), $0.value) }
        }
        let named: [(key: String, value: Value)]
        if let byString = dictionary as? [String: Value] {
            named = byString.map { ($0.key, $0.value) }
        } else if let byText = dictionary as? [ExactText: Value] {
            named = byText.map { ($0.key.text, $0.value) }
        } else if Key.self is any CodingKeyRepresentable.Type {
            named = dictionary.compactMap { member in
                (member.key as? any CodingKeyRepresentable)
                    .map { ($0.codingKey.stringValue, member.value) }
            }
        } else {
            return nil
        }
        let sorted = named.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (one, next) in zip(sorted, sorted.dropFirst())
        where one.key.utf8.elementsEqual(next.key.utf8) {
            throw EncodingError.invalidValue(
                dictionary,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription: "Two keys of the dictionary are written \"\(one.key)\"."
                )
            )
        }
        return sorted
    }

    private static func encodeObject(
        _ members: [(key: String, value: Value)],
        to state: EncodingStatePointer
    ) throws {
        let level = state.pointee.depth
        guard level < JSONLimits.depthCeiling else { throw EncodingError.tooDeep(level) }
        let serial = state.pointee.open(UInt8(ascii: "{"), UInt8(ascii: "}"))
        for member in members {
            _ = state.pointee.enter(UInt32(level + 1), serial)
            state.pointee.output.string(member.key)
            state.pointee.output.byte(UInt8(ascii: ":"))
            try state.encode(member.value)
        }
        state.pointee.close(to: level)
    }

    /// Keys that are no names: an array of key, value, key, value…, as the standard library has it.
    private static func encodeArray(_ dictionary: Self, to state: EncodingStatePointer) throws {
        try SortedFragments.write(dictionary, to: state) { member in
            try state.encode(member.key)
            state.pointee.output.byte(UInt8(ascii: ","))
            try state.encode(member.value)
        }
    }
}

extension Set: CollectionEncodable, UnorderedEncodable where Element: Encodable {
    static func encode<T>(_ value: T, to state: EncodingStatePointer) throws {
        guard let set = value as? Self else { return }
        try SortedFragments.write(set, to: state) { try state.encode($0) }
    }

    static func parts(of value: Any) throws -> UnorderedParts {
        .unnamed((value as? Self ?? []).map { [$0] })
    }
}

/// Elements written one by one and then put in the order of their bytes.
enum SortedFragments {
    static func write<S: Sequence>(
        _ elements: S,
        to state: EncodingStatePointer,
        encode: (S.Element) throws -> Void
    ) throws {
        let level = state.pointee.depth
        guard level < JSONLimits.depthCeiling else { throw EncodingError.tooDeep(level) }
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
        state.pointee.close(to: level)
    }
}
