/// The text of a dictionary's key, with the place of its value.
///
/// A sort moves each element many times, and values may be large. So keys are sorted with the
/// places of their values. The first eight bytes decide most comparisons without a look at the
/// text.
struct PlacedName {
    let text: String
    let place: Int
    /// The first eight bytes of the text, the first byte highest; 0 in place of missing bytes.
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

    /// True if this name precedes the other one in the order of their bytes.
    func precedes(_ other: Self) -> Bool {
        if beginning != other.beginning { return beginning < other.beginning }
        return text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    /// True if both have the same bytes.
    func isSame(as other: Self) -> Bool {
        beginning == other.beginning && text.utf8.elementsEqual(other.text.utf8)
    }
}

/// The members of a dictionary whose keys are names.
struct NamedMembers<Value> {
    /// The sorted names.
    let names: [PlacedName]
    /// The values, indexed by the places of the names.
    let values: [Value]
}
