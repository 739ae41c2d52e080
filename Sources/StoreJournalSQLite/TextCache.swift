import Glibc

/// A cache of strings that occur in many rows.
///
/// Bounded: a fixed number of places, each of which has the most recent text with its hash.
struct TextCache {
    private static let placesCount = 256

    private var places: [String?] = Array(repeating: nil, count: placesCount)

    /// Returns the bytes as a string.
    mutating func text(_ bytes: UnsafeRawBufferPointer) -> String {
        let place = Self.place(of: bytes)
        if let known = places[place], Self.same(known, bytes) { return known }
        let text = String(decoding: bytes, as: UTF8.self)
        places[place] = text
        return text
    }

    private static func same(_ text: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        text.utf8.count == bytes.count
            && text.utf8.withContiguousStorageIfAvailable { known in
                guard let known = known.baseAddress, let read = bytes.baseAddress else {
                    return true
                }
                return memcmp(known, read, bytes.count) == 0
            } ?? false
    }

    /// Returns a place in the cache: FNV-1a over the length and the last bytes, in which names
    /// differ most.
    private static func place(of bytes: UnsafeRawBufferPointer) -> Int {
        var hash = 0x811C_9DC5 ^ UInt32(truncatingIfNeeded: bytes.count)
        for byte in bytes.suffix(8) { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return Int((hash ^ hash >> 16) % UInt32(placesCount))
    }
}
