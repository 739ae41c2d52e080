/// Which members of one object are written, so that a key which comes twice is seen.
///
/// The keys of one table are bits. An object with other keys, or with keys of two types, as where a
/// class and its parent share one, has a set of names instead.
struct EncodingMembers {
    private var table: JSONKeyTable?
    private var written: UInt64 = 0
    private var byName = false

    /// Takes note of a key of a table. Returns whether it is the first, or `nil` where only the
    /// names can show that.
    @inline(__always)
    mutating func claim(_ key: Int, of table: JSONKeyTable) -> Bool? {
        let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: key)
        if self.table == table {
            defer { written |= bit }
            return written & bit == 0
        }
        guard self.table == nil, !byName else { return nil }
        self.table = table
        written = bit
        return true
    }

    /// Leaves the keys to a set of names, now and from now on. Returns those that are written so
    /// far, or `nil` where the set has them.
    mutating func giveWay() -> [[UInt8]]? {
        guard !byName else { return nil }
        byName = true
        defer { table = nil }
        guard let table else { return [] }
        return (0..<JSONKeyTable.keysMax).compactMap { index in
            guard written & (1 << UInt64(index)) != 0, let key = table[index] else { return nil }
            return Array(UnsafeBufferPointer(start: key.bytes, count: key.count))
        }
    }
}
