/// The decoder of one value in the document. A type's `init(from:)` gets this decoder.
struct ValueDecoder: Decoder {
    let state: DecodingStatePointer
    let index: Int

    var codingPath: [any CodingKey] { state.pointee.codingPath(to: index) }
    var userInfo: [CodingUserInfoKey: Any] { state.pointee.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try state.pointee.requireObject(index)
        return objectContainer(keyedBy: type)
    }

    /// Returns the container of the object at `index`. The index may be
    /// ``DecodingState/caseObjectIndex``.
    @inline(__always)
    func objectContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        let keyType = state.pointee.keyTypes.find(type)
        let level = state.pointee.callDepth
        guard let box = keyType.pointee.reuseContainer(level, at: index) else {
            return container(keyType, level)
        }
        // Safety: `keep` has stored a container of this type. A container consists of one
        // reference, so the stored reference is the container.
        return unsafeBitCast(box, to: KeyedDecodingContainer<Key>.self)
    }

    @inline(never)
    private func container<Key: CodingKey>(
        _ keyType: KeyTypePointer<Int>,
        _ level: Int
    ) -> KeyedDecodingContainer<Key> {
        keyType.pointee.makeContainer(level, at: index) { shared in
            KeyedDecodingContainer(
                KeyedDecoding<Key>(
                    state: state,
                    keyType: keyType,
                    reusedObjectIndex: shared,
                    fixedObjectIndex: index
                )
            )
        }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try state.pointee.requireArray(index)
        return UnkeyedDecoding(state: state, array: index)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueDecoding(state: state, index: index)
    }
}

struct SingleValueDecoding: SingleValueDecodingContainer {
    let state: DecodingStatePointer
    let index: Int

    var codingPath: [any CodingKey] { state.pointee.codingPath(to: index) }

    func decodeNil() -> Bool { state.pointee.isNull(index) }
    func decode(_ type: Bool.Type) throws -> Bool { try state.pointee.bool(index) }
    func decode(_ type: String.Type) throws -> String { try state.pointee.string(index) }
    func decode(_ type: Double.Type) throws -> Double { try floatingPoint() }
    func decode(_ type: Float.Type) throws -> Float { try floatingPoint() }
    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: Int128.Type) throws -> Int128 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try integer() }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try state.decode(type, at: index) }

    @inline(__always)
    private func integer<I: FixedWidthInteger>() throws -> I {
        try state.pointee.integer(index, as: I.self)
    }

    @inline(__always)
    private func floatingPoint<F: FloatingNumber>() throws -> F {
        try state.pointee.floatingPoint(index, as: F.self)
    }
}

/// The decoder of an enum's case if the document has only the payload of the case.
///
/// The decoder provides the input that the compiler's `init(from:)` reads: an object with one
/// member, named like the case. An enum with texts as raw values reads the case's name as a text
/// instead. The document contains neither this object nor this text.
struct CaseDecoder: Decoder {
    let state: DecodingStatePointer

    var codingPath: [any CodingKey] { state.pointee.codingPath(to: DecodingState.caseObjectIndex) }
    var userInfo: [CodingUserInfoKey: Any] { state.pointee.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        ValueDecoder(state: state, index: DecodingState.caseObjectIndex).objectContainer(
            keyedBy: type
        )
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw state.pointee.mismatchError(
            DecodingState.caseObjectIndex,
            CaseValueContainer.expected
        )
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        CaseValueContainer(state: state)
    }
}

/// The container of an enum's case as a single value. A type can read the case's name as a text
/// from the container, or decode another type from the container.
struct CaseValueContainer: SingleValueDecodingContainer {
    static let expected = "an enum's case"
    let state: DecodingStatePointer

    var codingPath: [any CodingKey] { state.pointee.codingPath(to: DecodingState.caseObjectIndex) }

    func decodeNil() -> Bool { false }

    func decode(_ type: String.Type) -> String { state.pointee.caseName }

    /// Decodes an enum, or a type that contains only an enum. The function implements all overloads
    /// of the protocol except the overload for `String`. Numbers and Booleans are refused, because
    /// they can't be cases.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        switch state.pointee.plans.plan(for: type) {
        case .string: return unsafeBitCast(state.pointee.caseName, to: T.self)
        case .ownCodable where !(type is any Numeric.Type), .textEnum:
            return try state.decodeCase(type)
        case .ownCodable, .collection, .int, .bool, .double, .adapter:
            throw state.pointee.mismatchError(DecodingState.caseObjectIndex, Self.expected)
        }
    }
}
