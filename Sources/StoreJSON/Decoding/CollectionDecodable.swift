import StoreTexts

/// A collection that the decoder decodes element by element, without calling the collection's
/// `init(from:)`.
protocol CollectionDecodable {
    static func decode<T>(_: T.Type, at index: Int, from state: DecodingStatePointer) throws -> T
}

private enum Reservation {
    /// The maximum number of elements for which memory is reserved before the first element is
    /// decoded. Without this bound, each two bytes of a document could reserve the memory of a
    /// large element.
    static let elementsMax = 1_024

    static func capacity(forClaimedCount: UInt32) -> Int { min(Int(forClaimedCount), elementsMax) }
}

extension Array: CollectionDecodable where Element: Decodable {
    static func decode<T>(_: T.Type, at index: Int, from state: DecodingStatePointer) throws -> T {
        try state.pointee.requireArray(index)
        let entry = state.pointee.entries[index]
        var array: Self = []
        array.reserveCapacity(Reservation.capacity(forClaimedCount: entry.detail))
        var element = index &+ 1
        while element < Int(entry.nextOrHash) {
            array.append(try state.decode(Element.self, at: element))
            element = Int(state.pointee.entries[element].nextOrHash)
        }
        // Safety: the plan of a type is made from its own conformance, so T is this type.
        return unsafeBitCast(array, to: T.self)
    }
}

/// The name of a member as a coding key. The key's number is `nil` if the name is no integer.
private struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { Int(stringValue) }

    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) { stringValue = String(intValue) }
}

extension Dictionary: CollectionDecodable where Key: Decodable, Value: Decodable {
    /// Decodes an object if the keys are `String`, `Int` or `CodingKeyRepresentable`. Otherwise
    /// decodes an array of key, value, key, value… The standard library writes both forms.
    ///
    /// If two keys of the document are equal as values of `Key`, the function throws an error. The
    /// standard library would silently drop one of the two values.
    static func decode<T>(_: T.Type, at index: Int, from state: DecodingStatePointer) throws -> T {
        let isNamed =
            Key.self == String.self || Key.self == Int.self
            || Key.self is any CodingKeyRepresentable.Type
        try isNamed ? state.pointee.requireObject(index) : state.pointee.requireArray(index)
        var dictionary: Self = [:]
        var at = index &+ 1
        let end = Int(state.pointee.entries[index].nextOrHash)
        while at < end {
            // The name of a member is one entry. A key in an array may have entries within it.
            let value = isNamed ? at &+ 1 : Int(state.pointee.entries[at].nextOrHash)
            guard value < end else {
                throw state.pointee.invalidValueError(index, "The array has a key without a value.")
            }
            let key = try isNamed ? key(at: at, state) : state.decode(Key.self, at: at)
            let decoded = try state.decode(Value.self, at: value)
            guard dictionary.updateValue(decoded, forKey: key) == nil else {
                throw isNamed ? sameNameError(at, state) : sameKeyError(at, state)
            }
            at = Int(state.pointee.entries[value].nextOrHash)
        }
        // Safety: the plan of a type is made from its own conformance, so T is this type.
        return unsafeBitCast(dictionary, to: T.self)
    }

    /// Returns the dictionary's key for the member name at an index.
    private static func key(at index: Int, _ state: DecodingStatePointer) throws -> Key {
        let text = state.pointee.tape.string(at: index)
        if Key.self == String.self, let key = text as? Key { return key }
        if Key.self == ExactText.self, let key = ExactText(text) as? Key { return key }
        if Key.self == Int.self {
            if let key = Int(text) as? Key { return key }
            throw state.pointee.invalidValueError(
                index &+ 1,
                "The name \(quotedPrefix(text)) is no whole number."
            )
        }
        if let type = Key.self as? any CodingKeyRepresentable.Type,
            let key = type.init(codingKey: MemberName(stringValue: text)),
            !key.codingKey.stringValue.isEqualButNotSame(as: text), let key = key as? Key
        {
            return key
        }
        throw state.pointee.invalidValueError(
            index &+ 1,
            "The name \(quotedPrefix(text)) is not a valid key."
        )
    }

    private static func sameNameError(_ index: Int, _ state: DecodingStatePointer) -> DecodingError
    {
        let name = quotedPrefix(state.pointee.tape.string(at: index))
        return state.pointee.invalidValueError(
            index &+ 1,
            "The name \(name) and another name in this object are equal for the type that reads "
                + "them, so that one of the two values would be lost. "
                + "Keys of type ExactText are compared by their bytes."
        )
    }

    private static func sameKeyError(_ index: Int, _ state: DecodingStatePointer) -> DecodingError {
        state.pointee.invalidValueError(
            index,
            "This key and another key of the array are equal for the type that reads them, so that "
                + "one of the two values would be lost."
        )
    }
}

extension Set: CollectionDecodable where Element: Decodable {
    /// Decodes an array. The array may contain the same JSON value twice. If two different JSON
    /// values are equal as values of `Element`, the function throws an error. The standard library
    /// would silently drop one of the two values.
    static func decode<T>(_: T.Type, at index: Int, from state: DecodingStatePointer) throws -> T {
        try state.pointee.requireArray(index)
        var set: Self = []
        var kept: [Int] = []
        var again: [Int] = []
        var element = index &+ 1
        let end = Int(state.pointee.entries[index].nextOrHash)
        while element < end {
            let isNew = set.insert(try state.decode(Element.self, at: element)).inserted
            if isNew { kept.append(element) } else { again.append(element) }
            element = Int(state.pointee.entries[element].nextOrHash)
        }
        if !again.isEmpty {
            let known = Set<[UInt8]>(kept.map { state.pointee.uniformJSON(of: $0) })
            for element in again where !known.contains(state.pointee.uniformJSON(of: element)) {
                throw state.pointee.invalidValueError(
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
    /// Returns an error of the standard library with this message, for a value that the value's
    /// type does not accept.
    @inline(never)
    func invalidValueError(_ index: Int, _ message: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath(to: index), debugDescription: message))
    }

    /// Returns the JSON text of a value in a uniform spelling: strings without needless escapes,
    /// and members sorted by name.
    fileprivate func uniformJSON(of index: Int) -> [UInt8] {
        JSONTree(JSONNode(tape: tape, index: index)).uniformJSON(orderedLike: .literal("null"))
    }
}

private func quotedPrefix(_ name: String) -> String { JSONText.quoted(String(name.prefix(64))) }

extension String {
    /// Returns true if Swift treats two texts as equal although their bytes differ.
    func isEqualButNotSame(as other: String) -> Bool { self == other && !isSame(as: other) }
}
