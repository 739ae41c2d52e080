extension JSONTape {
    /// The maximum number of keys that are compared in pairs; more keys are compared through a hash
    /// table.
    private static let pairwiseMax = 12

    /// Returns the second of two equal keys in the object that was read last; `nil` if all keys
    /// differ.
    func duplicateKey(in object: Int) -> Int? {
        let keys = Int(entries[object].detail)
        return keys <= Self.pairwiseMax ? pairwise(object) : tabled(object, keys)
    }

    private func pairwise(_ object: Int) -> Int? {
        var key = object &+ 1
        while key < entryCount {
            let hash = entries[key].next
            var earlier = object &+ 1
            while earlier < key {
                if entries[earlier].next == hash, isSameKey(earlier, key) { return key }
                earlier = Int(entries[earlier &+ 1].next)
            }
            key = Int(entries[key &+ 1].next)
        }
        return nil
    }

    /// Finds a duplicate by open addressing over a seeded hash: a client cannot compute keys that
    /// collide.
    private func tabled(_ object: Int, _ keys: Int) -> Int? {
        var size = 32
        while size < keys * 2 { size *= 2 }
        return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: size) { table -> Int? in
            table.initialize(repeating: 0)
            var key = object &+ 1
            while key < entryCount {
                var slot = seededHash(of: key) & (size &- 1)
                while table[slot] != 0 {
                    let earlier = Int(table[slot])
                    if entries[earlier].next == entries[key].next, isSameKey(earlier, key) {
                        return key
                    }
                    slot = (slot &+ 1) & (size &- 1)
                }
                table[slot] = UInt32(truncatingIfNeeded: key)
                key = Int(entries[key &+ 1].next)
            }
            return nil
        }
    }

    private func seededHash(of key: Int) -> Int {
        var hasher = Hasher()
        if entries[key].detail == 0 {
            hasher.combine(bytes: UnsafeRawBufferPointer(rawString(at: key)))
        } else {
            var text = string(at: key)
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
        return hasher.finalize()
    }

    private func isSameKey(_ a: Int, _ b: Int) -> Bool {
        if entries[a].detail == 0 { return key(at: b, equals: rawString(at: a)) }
        if entries[b].detail == 0 { return key(at: a, equals: rawString(at: b)) }
        return string(at: a).utf8.elementsEqual(string(at: b).utf8)
    }
}
