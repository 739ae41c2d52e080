/// An object being written.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let state: EncodingStatePointer
    let level: UInt32
    let serial: UInt32

    var codingPath: [any CodingKey] { state.pointee.codingPath }

    /// Writes the key, and a comma before it if there must be one. Answers where that begins, or
    /// -1 where nothing may be written.
    @inline(__always)
    private func begin(_ key: Key) -> Int {
        let mark = state.pointee.enter(level, serial)
        guard mark >= 0 else { return -1 }
        guard let table = state.pointee.keys.table(for: Key.self),
            let index = JSONKeyTable.index(of: key)
        else { return begin(named: key.stringValue, mark) }
        let start = state.pointee.output.count
        state.pointee.output.raw(table.encoded(key, at: index))
        guard state.pointee.claim(index, of: table, from: start) else {
            state.pointee.outOfPlace = true
            return -1
        }
        return mark
    }

    @inline(never)
    private func begin(named name: String, _ mark: Int) -> Int {
        let start = state.pointee.output.count
        state.pointee.output.string(name)
        state.pointee.output.byte(UInt8(ascii: ":"))
        guard state.pointee.claimName(from: start) else {
            state.pointee.outOfPlace = true
            return -1
        }
        return mark
    }

    /// Writes a member whose value may turn out to have no form.
    @inline(__always)
    private func member(_ key: Key, _ write: () throws -> Void) throws {
        let mark = begin(key)
        guard mark >= 0 else { return }
        do {
            try write()
        } catch {
            state.pointee.giveUp(from: mark, level)
            throw error
        }
    }

    @inline(__always)
    private func integer(_ value: some FixedWidthInteger, _ key: Key) {
        if begin(key) >= 0 { state.pointee.output.integer(value) }
    }

    func encodeNil(forKey key: Key) throws {
        if begin(key) >= 0 { state.pointee.output.raw("null") }
    }
    func encode(_ value: Bool, forKey key: Key) throws {
        if begin(key) >= 0 { state.pointee.output.raw(value ? "true" : "false") }
    }
    func encode(_ value: String, forKey key: Key) throws {
        if begin(key) >= 0 { state.pointee.output.string(value) }
    }
    func encode(_ value: Double, forKey key: Key) throws {
        try member(key) { try state.floating(value) }
    }
    func encode(_ value: Float, forKey key: Key) throws {
        try member(key) { try state.floating(value) }
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
        try member(key) { try state.encode(value) }
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
        let mark = state.pointee.enter(level, serial)
        return nested(mark < 0 ? mark : begin(named: JSONKey.super.stringValue, mark))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        nested(begin(key))
    }

    private func nested(_ mark: Int) -> EncodingPosition {
        EncodingPosition(
            state: state,
            start: mark < 0 ? -1 : state.pointee.output.count,
            level: level
        )
    }
}
