/// The encoded bytes of a key type's keys.
///
/// Synthesized `CodingKeys` are enums without payloads that take at most one byte, so that byte can
/// be an index. The text of a key is computed once, not once for every value. Other key types do
/// not use the table.
struct JSONKeyTable: Equatable {
    /// The maximum number of keys in the table; the text of further keys is computed for each use.
    static let keysMax = 64

    /// A key in the form `"key":`, whose memory is a whole number of words.
    struct Key {
        let bytes: UnsafePointer<UInt8>
        let count: Int
        let hasEscapes: Bool

        /// The text between the quotes.
        @inline(__always)
        var text: UnsafeBufferPointer<UInt8> {
            UnsafeBufferPointer(start: bytes + 1, count: count &- 3)
        }
    }

    /// The keys, indexed by their own byte. Each is filled at its first use.
    private let keys: UnsafeMutablePointer<Key?>

    init() {
        keys = .allocate(capacity: Self.keysMax)
        keys.initialize(repeating: nil, count: Self.keysMax)
    }

    func deallocate() {
        for index in 0..<Self.keysMax { keys[index]?.bytes.deallocate() }
        keys.deallocate()
    }

    /// True if the byte of a key can be its index.
    static func serves<K: CodingKey>(_ type: K.Type) -> Bool {
        MemoryLayout<K>.size <= 1 && _isPOD(K.self)
    }

    /// Returns the key at an index below ``keysMax``; `nil` before its first use.
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
