/// The unkeyed container of an array.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let state: EncodingStatePointer
    let level: UInt32
    let serial: UInt32
    private(set) var count = 0

    var codingPath: [any CodingKey] { state.pointee.codingPath }

    /// Begins the next element with a comma if necessary. Returns the offset before the comma, or
    /// -1 if the caller must not write an element.
    @inline(__always)
    private mutating func beginElement() -> Int {
        count &+= 1
        return state.pointee.beginWrite(level, serial)
    }

    @inline(__always)
    private mutating func encodeFloatingPoint(_ value: some FloatingNumber) throws {
        try state.writeFloatingPoint(value, at: state.pointee.beginWrite(level, serial), level)
        count &+= 1
    }

    @inline(__always)
    private mutating func encodeInteger(_ value: some FixedWidthInteger) {
        if beginElement() >= 0 { state.pointee.output.integer(value) }
    }

    mutating func encodeNil() throws { if beginElement() >= 0 { state.pointee.output.null() } }
    mutating func encode(_ value: Bool) throws {
        if beginElement() >= 0 { state.pointee.output.bool(value) }
    }
    mutating func encode(_ value: String) throws {
        if beginElement() >= 0 { state.pointee.output.string(value) }
    }
    mutating func encode(_ value: Double) throws { try encodeFloatingPoint(value) }
    mutating func encode(_ value: Float) throws { try encodeFloatingPoint(value) }
    mutating func encode(_ value: Int) throws { encodeInteger(value) }
    mutating func encode(_ value: Int8) throws { encodeInteger(value) }
    mutating func encode(_ value: Int16) throws { encodeInteger(value) }
    mutating func encode(_ value: Int32) throws { encodeInteger(value) }
    mutating func encode(_ value: Int64) throws { encodeInteger(value) }
    mutating func encode(_ value: Int128) throws { encodeInteger(value) }
    mutating func encode(_ value: UInt) throws { encodeInteger(value) }
    mutating func encode(_ value: UInt8) throws { encodeInteger(value) }
    mutating func encode(_ value: UInt16) throws { encodeInteger(value) }
    mutating func encode(_ value: UInt32) throws { encodeInteger(value) }
    mutating func encode(_ value: UInt64) throws { encodeInteger(value) }
    mutating func encode(_ value: UInt128) throws { encodeInteger(value) }
    mutating func encode<T: Encodable>(_ value: T) throws {
        try state.encode(value, at: state.pointee.beginWrite(level, serial), level)
        count &+= 1
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        nestedEncoder().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        nestedEncoder().unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { nestedEncoder() }

    private mutating func nestedEncoder() -> ValueEncoder {
        state.nestedEncoder(at: beginElement(), level)
    }
}
