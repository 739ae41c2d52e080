/// The keyed container of an object.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let state: DecodingStatePointer
    let keyType: KeyTypePointer<Int>
    /// The memory with the index of the object's entry, if the decoder uses this container again
    /// for other objects; otherwise `nil`.
    let reusedObjectIndex: UnsafeMutablePointer<Int>?
    /// The index of the object's entry; read only if `reusedObjectIndex` is `nil`.
    let fixedObjectIndex: Int

    @inline(__always)
    private var objectIndex: Int { reusedObjectIndex?.pointee ?? fixedObjectIndex }
    var codingPath: [any CodingKey] { state.pointee.codingPath(to: objectIndex) }

    var allKeys: [Key] {
        guard objectIndex >= 0 else {
            return Key(stringValue: state.pointee.caseName).map { [$0] } ?? []
        }
        return JSONNode(tape: state.pointee.tape, index: objectIndex).members.compactMap { member in
            // A key type may accept a name that Swift treats as equal although its bytes differ.
            // `find` compares bytes, and would not find the member.
            Key(stringValue: member.name).flatMap {
                $0.stringValue.isEqualButNotSame(as: member.name) ? nil : $0
            }
        }
    }

    /// Returns the index of the value of a member, or -1 if there is no such member.
    @inline(__always)
    private func find(_ key: Key) -> Int {
        guard let (_, _, known) = keyType.pointee.find(key), !known.hasEscapes else {
            return find(named: key.stringValue)
        }
        return state.pointee.find(known.text, in: objectIndex)
    }

    @inline(never)
    private func find(named name: String) -> Int {
        var name = name
        return name.withUTF8 { state.pointee.find($0, in: objectIndex) }
    }

    /// Returns the index of the value of a member. Throws an error if there is no such member.
    @inline(__always)
    private func requiredIndex(of key: Key) throws -> Int {
        let index = find(key)
        guard index >= 0 else { throw state.pointee.missingMemberError(key, in: objectIndex) }
        return index
    }

    /// Returns the index of the value of a member; `nil` if the member is absent or null.
    @inline(__always)
    private func presentIndex(of key: Key) -> Int? {
        let index = find(key)
        return index < 0 || state.pointee.isNull(index) ? nil : index
    }

    @inline(__always)
    private func integer<I: FixedWidthInteger>(_ key: Key) throws -> I {
        try state.pointee.integer(requiredIndex(of: key), as: I.self)
    }

    @inline(__always)
    private func optionalInteger<I: FixedWidthInteger>(_ key: Key) throws -> I? {
        try presentIndex(of: key).map { try state.pointee.integer($0, as: I.self) }
    }

    func contains(_ key: Key) -> Bool { find(key) >= 0 }
    func decodeNil(forKey key: Key) throws -> Bool {
        state.pointee.isNull(try requiredIndex(of: key))
    }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try state.pointee.bool(requiredIndex(of: key))
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try state.pointee.string(requiredIndex(of: key))
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try state.pointee.floatingPoint(requiredIndex(of: key), as: type)
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try state.pointee.floatingPoint(requiredIndex(of: key), as: type)
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(key) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try integer(key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try integer(key) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try state.decode(type, at: requiredIndex(of: key))
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try presentIndex(of: key).map { try state.pointee.bool($0) }
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try presentIndex(of: key).map { try state.pointee.string($0) }
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try presentIndex(of: key).map { try state.pointee.floatingPoint($0, as: type) }
    }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try presentIndex(of: key).map { try state.pointee.floatingPoint($0, as: type) }
    }
    func decodeIfPresent(_: Int.Type, forKey key: Key) throws -> Int? { try optionalInteger(key) }
    func decodeIfPresent(_: Int8.Type, forKey key: Key) throws -> Int8? { try optionalInteger(key) }
    func decodeIfPresent(_: Int16.Type, forKey key: Key) throws -> Int16? {
        try optionalInteger(key)
    }
    func decodeIfPresent(_: Int32.Type, forKey key: Key) throws -> Int32? {
        try optionalInteger(key)
    }
    func decodeIfPresent(_: Int64.Type, forKey key: Key) throws -> Int64? {
        try optionalInteger(key)
    }
    func decodeIfPresent(_: Int128.Type, forKey key: Key) throws -> Int128? {
        try optionalInteger(key)
    }
    func decodeIfPresent(_: UInt.Type, forKey key: Key) throws -> UInt? { try optionalInteger(key) }
    func decodeIfPresent(_: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try optionalInteger(key)
    }
    func decodeIfPresent(_: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try optionalInteger(key)
    }
    func decodeIfPresent(_: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try optionalInteger(key)
    }
    func decodeIfPresent(_: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try optionalInteger(key)
    }
    func decodeIfPresent(_: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try optionalInteger(key)
    }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try presentIndex(of: key).map { try state.decode(type, at: $0) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nestedDecoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nestedDecoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        let index = find(named: JSONKey.super.stringValue)
        guard index >= 0 else {
            throw state.pointee.missingMemberError(JSONKey.super, in: objectIndex)
        }
        return ValueDecoder(state: state, index: index)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try nestedDecoder(key) }

    private func nestedDecoder(_ key: Key) throws -> ValueDecoder {
        ValueDecoder(state: state, index: try requiredIndex(of: key))
    }
}
