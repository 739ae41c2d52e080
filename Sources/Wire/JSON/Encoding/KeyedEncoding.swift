/// An object being written.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let state: EncodingStatePointer
    let level: UInt32
    let serial: UInt32

    var codingPath: [any CodingKey] { state.pointee.codingPath }

    /// Writes the key, and a comma before it if there must be one. Answers whether to go on.
    @inline(__always)
    private func begin(_ key: Key) -> Bool {
        guard state.pointee.enter(level, serial) else { return false }
        if let encoded = state.pointee.keys.table(for: Key.self)?.encoded(key) {
            state.pointee.output.raw(encoded)
        } else {
            state.pointee.output.string(key.stringValue)
            state.pointee.output.byte(UInt8(ascii: ":"))
        }
        return true
    }

    @inline(__always)
    private func integer(_ value: some FixedWidthInteger, _ key: Key) {
        if begin(key) { state.pointee.output.integer(value) }
    }

    func encodeNil(forKey key: Key) throws {
        if begin(key) { state.pointee.output.raw("null") }
    }
    func encode(_ value: Bool, forKey key: Key) throws {
        if begin(key) { state.pointee.output.raw(value ? "true" : "false") }
    }
    func encode(_ value: String, forKey key: Key) throws {
        if begin(key) { state.pointee.output.string(value) }
    }
    func encode(_ value: Double, forKey key: Key) throws {
        if begin(key) { try state.floating(value) }
    }
    func encode(_ value: Float, forKey key: Key) throws {
        if begin(key) { try state.floating(value) }
    }
    func encode(_ value: Int, forKey key: Key) throws { integer(value, key) }
    func encode(_ value: Int8, forKey key: Key) throws { integer(value, key) }
    func encode(_ value: Int16, forKey key: Key) throws { integer(value, key) }
    func encode(_ value: Int32, forKey key: Key) throws { integer(value, key) }
    func encode(_ value: Int64, forKey key: Key) throws { integer(value, key) }
    func encode(_ value: Int128, forKey key: Key) throws { integer(value, key) }
    func encode(_ value: UInt, forKey key: Key) throws { integer(value, key) }
    func encode(_ value: UInt8, forKey key: Key) throws { integer(value, key) }
    func encode(_ value: UInt16, forKey key: Key) throws { integer(value, key) }
    func encode(_ value: UInt32, forKey key: Key) throws { integer(value, key) }
    func encode(_ value: UInt64, forKey key: Key) throws { integer(value, key) }
    func encode(_ value: UInt128, forKey key: Key) throws { integer(value, key) }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        if begin(key) { try state.encode(value) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nested(begin(key)).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(begin(key)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        if state.pointee.enter(level, serial) { state.pointee.output.raw("\"super\":") }
        return nested(true)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        nested(begin(key))
    }

    private func nested(_ begun: Bool) -> EncodingPosition {
        EncodingPosition(
            state: state,
            start: begun ? state.pointee.output.count : -1,
            level: level
        )
    }
}
