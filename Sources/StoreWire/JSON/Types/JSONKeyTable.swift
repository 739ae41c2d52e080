/// The ready-made bytes of a key type's keys.
///
/// Synthesized `CodingKeys` are enums of at most one byte without payload, so that byte can be an
/// index: a key's text is asked for once, not once for every value. Other key types pass by.
struct JSONKeyTable: Equatable {
    /// Keys beyond this many in one type are looked up the long way.
    static let keysMax = 64

    /// A key as `"key":`, with memory for a whole number of words.
    struct Key {
        let bytes: UnsafePointer<UInt8>
        let count: Int
        let hasEscapes: Bool

        /// What stands between the quotes.
        @inline(__always)
        var text: UnsafeBufferPointer<UInt8> {
            UnsafeBufferPointer(start: bytes + 1, count: count &- 3)
        }
    }

    /// By the key's own byte; filled as keys come by.
    private let keys: UnsafeMutablePointer<Key?>

    init() {
        keys = .allocate(capacity: Self.keysMax)
        keys.initialize(repeating: nil, count: Self.keysMax)
    }

    func deallocate() {
        for index in 0..<Self.keysMax { keys[index]?.bytes.deallocate() }
        keys.deallocate()
    }

    /// Whether a key's byte may serve as its index.
    static func serves<K: CodingKey>(_ type: K.Type) -> Bool {
        MemoryLayout<K>.size <= 1 && _isPOD(K.self)
    }

    /// The key at an index below ``keysMax``; `nil` where it was never asked for.
    @inline(__always)
    subscript(index: Int) -> Key? { keys[index] }

    @inline(never)
    func fill(_ index: Int, _ text: String) -> Key {
        var output = JSONOutput()
        output.string(text)
        output.byte(UInt8(ascii: ":"))
        let bytes = output.bytes
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: (bytes.count + 7) & ~7)
        copy.initialize(repeating: 0, count: (bytes.count + 7) & ~7)
        UnsafeMutableRawBufferPointer(start: copy, count: bytes.count).copyMemory(from: bytes)
        let key = Key(
            bytes: copy,
            count: bytes.count,
            hasEscapes: bytes.contains(UInt8(ascii: "\\"))
        )
        keys[index] = key
        return key
    }
}
