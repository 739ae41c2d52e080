/// A collection that is decoded element by element, without the unkeyed container of its own
/// `init(from:)`.
protocol CollectionDecodable {
    static func decode<T>(_ type: T.Type, at index: Int, from state: DecodingStatePointer) throws
        -> T
}

private enum Reservation {
    /// The maximum number of elements to reserve memory for before the first is read. Without it,
    /// two bytes of a document could claim an element of a thousand bytes.
    static let elementsMax = 1_024

    static func elements(claimed: UInt32) -> Int { min(Int(claimed), elementsMax) }
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
        array.reserveCapacity(Reservation.elements(claimed: entry.detail))
        var element = index &+ 1
        while element < Int(entry.next) {
            array.append(try state.decode(Element.self, at: element))
            element = Int(state.pointee.entries[element].next)
        }
        // Safety: the plan of a type is made from its own conformance, so T is this type.
        return unsafeBitCast(array, to: T.self)
    }
}
