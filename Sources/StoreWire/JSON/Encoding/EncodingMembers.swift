/// The written keys of one object, to detect a key that is written twice.
///
/// A bit represents each key of one table. An object with other keys, or with keys of two types,
/// has a set of names instead. Keys of two types occur if a class and its superclass share one
/// object.
struct EncodingMembers {
    private var table: JSONKeyTable?
    private var written: UInt64 = 0
    private var byName = false

    /// Records a key of a table. Returns true if the key was not written before, or `nil` if only
    /// the set of names can decide that.
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

    /// Switches to the set of names, for good. Returns the keys that were written so far, or `nil`
    /// if the set has them already.
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
