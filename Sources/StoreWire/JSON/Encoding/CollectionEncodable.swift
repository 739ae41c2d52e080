/// A collection that is encoded element by element, without the unkeyed container of its own
/// `encode(to:)`.
protocol CollectionEncodable {
    static func encode<T>(_ value: T, to state: EncodingStatePointer) throws
}

extension Array: CollectionEncodable where Element: Encodable {
    static func encode<T>(_ value: T, to state: EncodingStatePointer) throws {
        // Safety: the plan of a type is made from its own conformance, so T is this type.
        let array = unsafeBitCast(value, to: Self.self)
        let level = state.pointee.depth
        guard level < JSONLimits.depthCeiling else { throw EncodingError.tooDeep(value) }
        let serial = state.pointee.open(UInt8(ascii: "["), UInt8(ascii: "]"))
        var container = UnkeyedEncoding(
            state: state,
            level: UInt32(truncatingIfNeeded: level &+ 1),
            serial: serial
        )
        for element in array { try container.encode(element) }
        state.pointee.close(to: level)
    }
}
