/// A collection that is read element by element, without the unkeyed container that its own
/// `init(from:)` would ask for.
protocol CollectionDecodable {
    static func decode<T>(_ type: T.Type, at index: Int, from state: DecodingStatePointer) throws
        -> T
}

extension Array: CollectionDecodable where Element: Decodable {
    static func decode<T>(
        _ type: T.Type,
        at index: Int,
        from state: DecodingStatePointer
    ) throws -> T {
        guard state.pointee.first(index) == UInt8(ascii: "[") else {
            throw state.pointee.mismatch(index, "an array")
        }
        let entry = state.pointee.entries[index]
        var array: Self = []
        array.reserveCapacity(Int(entry.detail))
        var element = index &+ 1
        while element < Int(entry.next) {
            array.append(try state.decode(Element.self, at: element))
            element = Int(state.pointee.entries[element].next)
        }
        // Safety: the plan of a type is made from its own conformance, so T is this type.
        return unsafeBitCast(array, to: T.self)
    }
}
