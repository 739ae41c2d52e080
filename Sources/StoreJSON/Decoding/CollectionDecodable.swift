import StoreTexts

/// A collection that is decoded element by element, without the unkeyed container of its own
/// `init(from:)`.
protocol CollectionDecodable {
    static func decode<T>(_: T.Type, at index: Int, from state: DecodingStatePointer) throws -> T
}

private enum Reservation {
    /// The maximum number of elements for which memory is reserved before the first is read.
    /// Without a bound, two bytes of a document could reserve an element of a thousand bytes.
    static let elementsMax = 1_024

    static func elements(claimed: UInt32) -> Int { min(Int(claimed), elementsMax) }
}

extension Array: CollectionDecodable where Element: Decodable {
    static func decode<T>(_: T.Type, at index: Int, from state: DecodingStatePointer) throws -> T {
        try state.pointee.requireArray(index)
        let entry = state.pointee.entries[index]
        var array: Self = []
        array.reserveCapacity(Reservation.elements(claimed: entry.detail))
        var element = index &+ 1
        while element < Int(entry.next) {
            array.append(try state.decode(Element.self, at: element))
            element = Int(state.pointee.entries[element].next)
        }
        // Safety: the plan of a type is made from its own conformance, so T is this type.
        return unsafeBitCast(array, to: T.self)
    }
}

/// The name of a member as a coding key: as a text, and as a number if it is one.
private struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { Int(stringValue) }

    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) { stringValue = String(intValue) }
}

extension Dictionary: CollectionDecodable where Key: Decodable, Value: Decodable {
    /// Decodes an object if the keys are names. Else decodes an array of key, value, key, value…
    /// The standard library writes both forms.
    ///
    /// Two keys that are equal for the type are an error. The standard library would silently drop
    /// one of the two values.
    static func decode<T>(_: T.Type, at index: Int, from state: DecodingStatePointer) throws -> T {
        let isNamed =
            Key.self == String.self || Key.self == Int.self
            || Key.self is any CodingKeyRepresentable.Type
        try isNamed ? state.pointee.requireObject(index) : state.pointee.requireArray(index)
        var dictionary: Self = [:]
        var at = index &+ 1
        let end = Int(state.pointee.entries[index].next)
        while at < end {
            // A name is one entry; any other key may have entries within it.
            let value = isNamed ? at &+ 1 : Int(state.pointee.entries[at].next)
            guard value < end else {
                throw state.pointee.invalid(index, "The array has a key without a value.")
            }
            let key = try isNamed ? key(named: at, state) : state.decode(Key.self, at: at)
            let decoded = try state.decode(Value.self, at: value)
            guard dictionary.updateValue(decoded, forKey: key) == nil else {
                throw isNamed ? sameName(at, state) : sameKey(at, state)
            }
            at = Int(state.pointee.entries[value].next)
        }
        // Safety: the plan of a type is made from its own conformance, so T is this type.
        return unsafeBitCast(dictionary, to: T.self)
    }

    /// Returns the key for the name at an index of an object.
    private static func key(named index: Int, _ state: DecodingStatePointer) throws -> Key {
        let text = state.pointee.tape.string(at: index)
        if Key.self == String.self, let key = text as? Key { return key }
        if Key.self == ExactText.self, let key = ExactText(text) as? Key { return key }
        if Key.self == Int.self {
            if let key = Int(text) as? Key { return key }
            throw state.pointee.invalid(index &+ 1, "The name \(quoted(text)) is no whole number.")
        }
        if let type = Key.self as? any CodingKeyRepresentable.Type,
            let key = type.init(codingKey: MemberName(stringValue: text)),
            !key.codingKey.stringValue.isTwin(of: text), let key = key as? Key
        {
            return key
        }
        throw state.pointee.invalid(index &+ 1, "The name \(quoted(text)) is no valid key.")
    }

    private static func sameName(_ index: Int, _ state: DecodingStatePointer) -> DecodingError {
        let name = quoted(state.pointee.tape.string(at: index))
        return state.pointee.invalid(
            index &+ 1,
            "The name \(name) and another name in this object are equal for the type that reads "
                + "them, so that one of the two values would be lost. "
                + "Keys of type ExactText are compared by their bytes."
        )
    }

    private static func sameKey(_ index: Int, _ state: DecodingStatePointer) -> DecodingError {
        state.pointee.invalid(
            index,
            "This key and another key of the array are equal for the type that reads them, so that "
                + "one of the two values would be lost."
        )
    }
}

extension Set: CollectionDecodable where Element: Decodable {
    /// Decodes an array. An element may be repeated unchanged. Two elements that differ but are
    /// equal for their type are an error. The standard library would silently drop one of them.
    static func decode<T>(_: T.Type, at index: Int, from state: DecodingStatePointer) throws -> T {
        try state.pointee.requireArray(index)
        var set: Self = []
        var kept: [Int] = []
        var again: [Int] = []
        var element = index &+ 1
        let end = Int(state.pointee.entries[index].next)
        while element < end {
            let isNew = set.insert(try state.decode(Element.self, at: element)).inserted
            if isNew { kept.append(element) } else { again.append(element) }
            element = Int(state.pointee.entries[element].next)
        }
        if !again.isEmpty {
            let known = Set<[UInt8]>(kept.map { state.pointee.written($0) })
            for element in again where !known.contains(state.pointee.written(element)) {
                throw state.pointee.invalid(
                    element,
                    "This and another element of the array differ, but are equal for the type that "
                        + "reads them, so that one of the two would be lost. "
                        + "Elements of type ExactText are compared by their bytes."
                )
            }
        }
        // Safety: the plan of a type is made from its own conformance, so T is this type.
        return unsafeBitCast(set, to: T.self)
    }
}

extension DecodingState {
    /// Returns the standard library's error for a value that its type cannot accept, with a message
    /// of this decoder.
    @inline(never)
    func invalid(_ index: Int, _ message: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath(to: index), debugDescription: message))
    }

    /// Returns a value in a uniform spelling: its strings without needless escapes, its members
    /// sorted.
    fileprivate func written(_ index: Int) -> [UInt8] {
        JSONTree(JSONNode(tape: tape, index: index)).written(like: .literal("null"))
    }
}

private func quoted(_ name: String) -> String { JSONText.quoted(String(name.prefix(64))) }

extension String {
    /// True if Swift treats another text as equal to this one, although its bytes differ.
    func isTwin(of other: String) -> Bool { self == other && !isSame(as: other) }
}
