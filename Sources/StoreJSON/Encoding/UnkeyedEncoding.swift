/// The container for an array.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let state: EncodingStatePointer
    let level: UInt32
    let serial: UInt32
    private(set) var count = 0

    init(state: EncodingStatePointer, level: UInt32, serial: UInt32) {
        self.state = state
        self.level = level
        self.serial = serial
    }

    var codingPath: [any CodingKey] { state.pointee.codingPath }

    /// Writes a comma if the next element needs one. Returns the offset before it, or -1 if the
    /// caller must not write an element.
    @inline(__always)
    private mutating func begin() -> Int {
        count &+= 1
        return state.pointee.enter(level, serial)
    }

    private mutating func giveUp(from mark: Int) {
        count &-= 1
        state.pointee.giveUp(from: mark, level)
    }

    @inline(__always)
    private mutating func floating<F: BinaryFloatingPoint & LosslessStringConvertible>(
        _ value: F
    ) throws {
        let mark = begin()
        if mark >= 0, !state.pointee.output.floating(value) {
            giveUp(from: mark)
            throw EncodingError.notFinite(value)
        }
    }

    @inline(__always)
    private mutating func integer(_ value: some FixedWidthInteger) {
        if begin() >= 0 { state.pointee.output.integer(value) }
    }

    mutating func encodeNil() throws { if begin() >= 0 { state.pointee.output.null() } }
    mutating func encode(_ value: Bool) throws {
        if begin() >= 0 { state.pointee.output.bool(value) }
    }
    mutating func encode(_ value: String) throws {
        if begin() >= 0 { state.pointee.output.string(value) }
    }
    mutating func encode(_ value: Double) throws { try floating(value) }
    mutating func encode(_ value: Float) throws { try floating(value) }
    mutating func encode(_ value: Int) throws { integer(value) }
    mutating func encode(_ value: Int8) throws { integer(value) }
    mutating func encode(_ value: Int16) throws { integer(value) }
    mutating func encode(_ value: Int32) throws { integer(value) }
    mutating func encode(_ value: Int64) throws { integer(value) }
    mutating func encode(_ value: Int128) throws { integer(value) }
    mutating func encode(_ value: UInt) throws { integer(value) }
    mutating func encode(_ value: UInt8) throws { integer(value) }
    mutating func encode(_ value: UInt16) throws { integer(value) }
    mutating func encode(_ value: UInt32) throws { integer(value) }
    mutating func encode(_ value: UInt64) throws { integer(value) }
    mutating func encode(_ value: UInt128) throws { integer(value) }
    mutating func encode<T: Encodable>(_ value: T) throws {
        let mark = begin()
        guard mark >= 0 else { return }
        do {
            try state.encode(value)
        } catch {
            giveUp(from: mark)
            throw error
        }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        nested(begin()).container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        nested(begin()).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        nested(begin())
    }

    private func nested(_ mark: Int) -> EncodingPosition {
        EncodingPosition(
            state: state,
            start: mark < 0 ? -1 : state.pointee.output.count,
            level: level
        )
    }
}
