import Glibc

/// Finds the index of a name in a list, byte by byte, without making a `String` of the bytes.
struct NameIndex: Sendable {
    /// One name, and where its bytes are; a place below zero stands for none.
    private struct Slot {
        var place = -1
        var start = 0
        var count = 0
    }

    /// Open addressing: the first free slot behind a name's own ends the search. At most half are
    /// taken.
    private var slots: [Slot]
    private var bytes: [UInt8] = []

    /// - Parameter names: each once; a name's place is its index.
    init(_ names: [String]) {
        var count = 4
        while count < names.count * 2 { count *= 2 }
        slots = Array(repeating: Slot(), count: count)
        for (place, name) in names.enumerated() {
            var name = name
            name.withUTF8 { insert($0, place) }
        }
    }

    private mutating func insert(_ name: UnsafeBufferPointer<UInt8>, _ place: Int) {
        var slot = Self.hash(name) & (slots.count - 1)
        while slots[slot].place >= 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Slot(place: place, start: bytes.count, count: name.count)
        bytes += name
    }

    /// The place of a name, given as UTF-8.
    func place(of name: UnsafeBufferPointer<UInt8>) -> Int? {
        var slot = Self.hash(name) & (slots.count - 1)
        while slots[slot].place >= 0 {
            if has(name, in: slots[slot]) { return slots[slot].place }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private func has(_ name: UnsafeBufferPointer<UInt8>, in slot: Slot) -> Bool {
        guard slot.count == name.count else { return false }
        guard let other = name.baseAddress else { return true }
        return bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return slot.count == 0 }
            return memcmp(base + slot.start, other, slot.count) == 0
        }
    }

    /// FNV-1a. The names in the table are the program's own, so no client can make them collide.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ hash >> 32)
    }
}
