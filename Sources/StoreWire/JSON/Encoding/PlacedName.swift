/// A key of a dictionary as it is written, with the place of its value.
///
/// Keys are sorted with places in the place of values, which may be large: a sort moves each
/// element many times. The first eight bytes decide most comparisons without looking at the text.
struct PlacedName {
    let text: String
    let place: Int
    /// The first eight bytes of the text, the first one highest; 0 for those that it does not have.
    private let beginning: UInt64

    init(_ text: String, at place: Int) {
        self.text = text
        self.place = place
        var beginning: UInt64 = 0
        var count: UInt64 = 0
        for byte in text.utf8.prefix(8) {
            beginning = beginning << 8 | UInt64(byte)
            count += 1
        }
        self.beginning = count == 0 ? 0 : beginning << (8 * (8 - count))
    }

    /// Returns whether it stands before another one in the order of their bytes.
    func precedes(_ other: Self) -> Bool {
        if beginning != other.beginning { return beginning < other.beginning }
        return text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    /// Returns whether both have the same bytes.
    func isSame(as other: Self) -> Bool {
        beginning == other.beginning && text.utf8.elementsEqual(other.text.utf8)
    }
}

/// The members of a dictionary whose keys are names.
struct NamedMembers<Value> {
    /// The names in their order.
    let names: [PlacedName]
    /// The values by the places of the names.
    let values: [Value]
}
