/// The keyed container of an object.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let state: EncodingStatePointer
    let keyType: KeyTypePointer<ContainerPosition>
    /// The memory with the object's position, if the encoder uses this container again for other
    /// objects; otherwise `nil`.
    let positionMemory: UnsafeMutablePointer<ContainerPosition>?
    /// The object's position; read only if `positionMemory` is `nil`.
    let fixedPosition: ContainerPosition

    @inline(__always)
    private var position: ContainerPosition { positionMemory?.pointee ?? fixedPosition }
    var codingPath: [any CodingKey] { state.pointee.codingPath }

    /// Writes a key, after a comma if necessary. Returns the offset before the comma and the key,
    /// or -1 if the caller must not write a value.
    @inline(__always)
    private func writeKey(_ key: Key) -> Int {
        guard let (table, index, known) = keyType.pointee.find(key) else {
            return state.pointee.beginMember(position, named: key.stringValue)
        }
        return state.pointee.beginMember(position, known, index, of: table)
    }

    @inline(__always)
    private func encodeFloatingPoint(_ value: some FloatingNumber, _ key: Key) throws {
        try state.writeFloatingPoint(value, at: writeKey(key), position.level)
    }

    @inline(__always)
    private func encodeInteger(_ value: some FixedWidthInteger, _ key: Key) {
        if writeKey(key) >= 0 { state.pointee.output.integer(value) }
    }

    func encodeNil(forKey key: Key) throws {
        if writeKey(key) >= 0 { state.pointee.output.null() }
    }
    func encode(_ value: Bool, forKey key: Key) throws {
        if writeKey(key) >= 0 { state.pointee.output.bool(value) }
    }
    func encode(_ value: String, forKey key: Key) throws {
        if writeKey(key) >= 0 { state.pointee.output.string(value) }
    }
    func encode(_ value: Double, forKey key: Key) throws { try encodeFloatingPoint(value, key) }
    func encode(_ value: Float, forKey key: Key) throws { try encodeFloatingPoint(value, key) }
    func encode(_ value: Int, forKey key: Key) throws { encodeInteger(value, key) }
    func encode(_ value: Int8, forKey key: Key) throws { encodeInteger(value, key) }
    func encode(_ value: Int16, forKey key: Key) throws { encodeInteger(value, key) }
    func encode(_ value: Int32, forKey key: Key) throws { encodeInteger(value, key) }
    func encode(_ value: Int64, forKey key: Key) throws { encodeInteger(value, key) }
    func encode(_ value: Int128, forKey key: Key) throws { encodeInteger(value, key) }
    func encode(_ value: UInt, forKey key: Key) throws { encodeInteger(value, key) }
    func encode(_ value: UInt8, forKey key: Key) throws { encodeInteger(value, key) }
    func encode(_ value: UInt16, forKey key: Key) throws { encodeInteger(value, key) }
    func encode(_ value: UInt32, forKey key: Key) throws { encodeInteger(value, key) }
    func encode(_ value: UInt64, forKey key: Key) throws { encodeInteger(value, key) }
    func encode(_ value: UInt128, forKey key: Key) throws { encodeInteger(value, key) }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try state.encode(value, at: writeKey(key), position.level)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nestedEncoder(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nestedEncoder(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        let mark = state.pointee.beginMember(position, named: JSONKey.super.stringValue)
        return state.nestedEncoder(at: mark, position.level)
    }

    func superEncoder(forKey key: Key) -> any Encoder { nestedEncoder(key) }

    private func nestedEncoder(_ key: Key) -> ValueEncoder {
        state.nestedEncoder(at: writeKey(key), position.level)
    }
}
