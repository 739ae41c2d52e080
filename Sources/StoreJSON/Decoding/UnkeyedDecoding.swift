/// The unkeyed container of an array.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
    let state: DecodingStatePointer
    private let arrayIndex: UInt32
    private var nextIndex: UInt32
    private var decodedCount: UInt32 = 0

    init(state: DecodingStatePointer, array: Int) {
        self.state = state
        self.arrayIndex = UInt32(truncatingIfNeeded: array)
        nextIndex = self.arrayIndex &+ 1
    }

    var codingPath: [any CodingKey] { state.pointee.codingPath(to: Int(arrayIndex)) }
    var count: Int? { Int(state.pointee.entries[Int(arrayIndex)].detail) }
    var currentIndex: Int { Int(decodedCount) }
    var isAtEnd: Bool { nextIndex >= state.pointee.entries[Int(arrayIndex)].nextOrHash }

    /// Returns the index of the next element's entry, without moving past that element.
    @inline(__always)
    private func nextElementIndex() throws -> Int {
        guard !isAtEnd else {
            throw state.pointee.mismatchError(Int(arrayIndex), .elements(Int(decodedCount) + 1))
        }
        return Int(nextIndex)
    }

    @inline(__always)
    private mutating func advance(past index: Int) {
        nextIndex = state.pointee.entries[index].nextOrHash
        decodedCount &+= 1
    }

    /// Decodes the next element with `read`, then moves past the element. If `read` throws an
    /// error, the element stays the next element.
    @inline(__always)
    private mutating func decodeNext<T>(
        _ read: (DecodingStatePointer, Int) throws -> T
    ) throws -> T {
        let index = try nextElementIndex()
        let value = try read(state, index)
        advance(past: index)
        return value
    }

    @inline(__always)
    private mutating func decodeInteger<I: FixedWidthInteger>() throws -> I {
        try decodeNext { try $0.pointee.integer($1, as: I.self) }
    }

    mutating func decodeNil() throws -> Bool {
        let index = try nextElementIndex()
        guard state.pointee.isNull(index) else { return false }
        advance(past: index)
        return true
    }
    mutating func decode(_ type: Bool.Type) throws -> Bool {
        try decodeNext { try $0.pointee.bool($1) }
    }
    mutating func decode(_ type: String.Type) throws -> String {
        try decodeNext { try $0.pointee.string($1) }
    }
    mutating func decode(_ type: Double.Type) throws -> Double {
        try decodeNext { try $0.pointee.floatingPoint($1, as: type) }
    }
    mutating func decode(_ type: Float.Type) throws -> Float {
        try decodeNext { try $0.pointee.floatingPoint($1, as: type) }
    }
    mutating func decode(_ type: Int.Type) throws -> Int { try decodeInteger() }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try decodeInteger() }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try decodeInteger() }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try decodeInteger() }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try decodeInteger() }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try decodeInteger() }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try decodeInteger() }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try decodeInteger() }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try decodeInteger() }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try decodeInteger() }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try decodeInteger() }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try decodeInteger() }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try decodeNext { try $0.decode(type, at: $1) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decodeNext { try ValueDecoder(state: $0, index: $1).container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try decodeNext { try ValueDecoder(state: $0, index: $1).unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder {
        try decodeNext { ValueDecoder(state: $0, index: $1) }
    }
}
