import Glibc

/// An index of names by their bytes. A look-up does not make a `String` from the name.
struct NameIndex: Sendable {
    /// The index of a name, and the offset and the number of the name's bytes. A free slot has the
    /// index -1.
    private struct Slot {
        var nameIndex = -1
        var byteOffset = 0
        var byteCount = 0
    }

    /// The slots of a hash table with open addressing. A search begins at the slot of the name's
    /// hash, and ends at the name or at a free slot. At most half of the slots are taken.
    private var slots: [Slot]
    private var bytes: [UInt8] = []

    /// Makes the index.
    ///
    /// - Parameter names: distinct names, in the order of their indices.
    init(_ names: [String]) {
        var count = 4
        while count < names.count * 2 { count *= 2 }
        slots = Array(repeating: Slot(), count: count)
        for (place, name) in names.enumerated() {
            var name = name
            name.withUTF8 { insert($0, place) }
        }
    }

    private mutating func insert(_ name: UnsafeBufferPointer<UInt8>, _ nameIndex: Int) {
        var slot = Self.hash(name) & (slots.count - 1)
        while slots[slot].nameIndex >= 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Slot(nameIndex: nameIndex, byteOffset: bytes.count, byteCount: name.count)
        bytes += name
    }

    /// Returns the index of a name in UTF-8; `nil` if the name is unknown.
    func nameIndex(of name: UnsafeBufferPointer<UInt8>) -> Int? {
        var slot = Self.hash(name) & (slots.count - 1)
        while slots[slot].nameIndex >= 0 {
            if has(name, in: slots[slot]) { return slots[slot].nameIndex }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private func has(_ name: UnsafeBufferPointer<UInt8>, in slot: Slot) -> Bool {
        guard slot.byteCount == name.count else { return false }
        guard let other = name.baseAddress else { return true }
        return bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return slot.byteCount == 0 }
            return memcmp(base + slot.byteOffset, other, slot.byteCount) == 0
        }
    }

    /// Computes the hash FNV-1a. Only the program's own names are in the index, so clients can't
    /// add names that collide.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ hash >> 32)
    }
}
