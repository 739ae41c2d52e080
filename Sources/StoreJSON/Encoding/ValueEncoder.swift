/// The encoder of one value. A type's `encode(to:)` gets this encoder.
struct ValueEncoder: Encoder {
    let state: EncodingStatePointer
    /// The offset in the output at which the value begins.
    let startOffset: Int
    /// The number of containers that are open around the value.
    let level: UInt32

    var codingPath: [any CodingKey] { state.pointee.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { state.pointee.userInfo }

    /// Returns the container of the value's object. A second call returns a container of the same
    /// object, because a class and its superclass may write into one object.
    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let serial = openContainer(UInt8(ascii: "{"), UInt8(ascii: "}"))
        let place = ContainerPosition(level: level &+ 1, serial: serial)
        let keyType = state.pointee.keyTypes.find(type)
        guard let box = keyType.pointee.reuseContainer(Int(level), at: place) else {
            return makeContainer(keyType, at: place)
        }
        // Safety: `keep` has stored a container of this type. A container consists of one
        // reference, so the stored reference is the container.
        return unsafeBitCast(box, to: KeyedEncodingContainer<Key>.self)
    }

    @inline(never)
    private func makeContainer<Key: CodingKey>(
        _ keyType: KeyTypePointer<ContainerPosition>,
        at place: ContainerPosition
    ) -> KeyedEncodingContainer<Key> {
        keyType.pointee.makeContainer(Int(level), at: place) { shared in
            KeyedEncodingContainer(
                KeyedEncoding<Key>(
                    state: state,
                    keyType: keyType,
                    positionMemory: shared,
                    fixedPosition: place
                )
            )
        }
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let serial = openContainer(UInt8(ascii: "["), UInt8(ascii: "]"))
        return UnkeyedEncoding(state: state, level: level + 1, serial: serial)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueEncoding(encoder: self)
    }

    @inline(__always)
    private func openContainer(_ opener: UInt8, _ closer: UInt8) -> UInt32 {
        state.pointee.removeFailedValue()
        if state.pointee.output.count == startOffset { return state.pointee.open(opener, closer) }
        if let serial = state.pointee.serialOfOpenContainer(
            at: startOffset,
            above: Int(level),
            closer: closer
        ) {
            return serial
        }
        // The value was already written in another form, for instance as an array.
        state.pointee.hasMisplacedValue = true
        return 0
    }
}

/// The container of a single value. The container accepts only one write.
struct SingleValueEncoding: SingleValueEncodingContainer {
    let encoder: ValueEncoder

    private var state: EncodingStatePointer { encoder.state }
    var codingPath: [any CodingKey] { state.pointee.codingPath }

    private func writeOnce(_ body: () throws -> Void) throws {
        state.pointee.removeFailedValue()
        guard state.pointee.output.count == encoder.startOffset else {
            state.pointee.hasMisplacedValue = true
            return
        }
        do {
            try body()
        } catch {
            state.pointee.noteFailedValue(from: encoder.startOffset, encoder.level)
            throw error
        }
    }

    func encodeNil() throws { try writeOnce { state.pointee.output.null() } }
    func encode(_ value: Bool) throws { try writeOnce { state.pointee.output.bool(value) } }
    func encode(_ value: String) throws { try writeOnce { state.pointee.output.string(value) } }
    func encode(_ value: Double) throws { try writeOnce { try state.writeFloatingPoint(value) } }
    func encode(_ value: Float) throws { try writeOnce { try state.writeFloatingPoint(value) } }
    func encode(_ value: Int) throws { try writeOnce { state.pointee.output.integer(value) } }
    func encode(_ value: Int8) throws { try writeOnce { state.pointee.output.integer(value) } }
    func encode(_ value: Int16) throws { try writeOnce { state.pointee.output.integer(value) } }
    func encode(_ value: Int32) throws { try writeOnce { state.pointee.output.integer(value) } }
    func encode(_ value: Int64) throws { try writeOnce { state.pointee.output.integer(value) } }
    func encode(_ value: Int128) throws { try writeOnce { state.pointee.output.integer(value) } }
    func encode(_ value: UInt) throws { try writeOnce { state.pointee.output.integer(value) } }
    func encode(_ value: UInt8) throws { try writeOnce { state.pointee.output.integer(value) } }
    func encode(_ value: UInt16) throws { try writeOnce { state.pointee.output.integer(value) } }
    func encode(_ value: UInt32) throws { try writeOnce { state.pointee.output.integer(value) } }
    func encode(_ value: UInt64) throws { try writeOnce { state.pointee.output.integer(value) } }
    func encode(_ value: UInt128) throws { try writeOnce { state.pointee.output.integer(value) } }
    func encode<T: Encodable>(_ value: T) throws { try writeOnce { try state.encode(value) } }
}
