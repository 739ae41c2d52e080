typealias KeyTypePointer<Place> = UnsafeMutablePointer<KeyType<Place>>

/// The data of one coder about a key type: the encoded bytes of its keys, and containers that the
/// coder uses again.
///
/// The standard library puts each keyed container into an object of its own. Making that object
/// takes longer than coding a small value. A container without another reference is used again. The
/// container's place in the document, a `Place`, is stored here and not in the container.
struct KeyType<Place> {
    /// The number of kept containers: one for each of the first levels. Deeper levels share these.
    private static var slotCount: Int { 8 }

    /// The encoded keys; `nil` if a value of the key type is not plain data of at most one byte.
    private let table: JSONKeyTable?
    private let isEmpty: Bool
    private let places: UnsafeMutablePointer<Place>
    private let boxes: UnsafeMutablePointer<AnyObject?>

    init<K: CodingKey>(_ type: K.Type) {
        table = MemoryLayout<K>.size <= 1 && _isPOD(K.self) ? JSONKeyTable() : nil
        isEmpty = MemoryLayout<K>.size == 0
        places = .allocate(capacity: Self.slotCount)
        boxes = .allocate(capacity: Self.slotCount)
        boxes.initialize(repeating: nil, count: Self.slotCount)
    }

    func deallocate() {
        table?.deallocate()
        boxes.deinitialize(count: Self.slotCount)
        boxes.deallocate()
        places.deallocate()
    }

    /// Returns the table with a key, the key's index in it, and the encoded key; `nil` if the key
    /// has no place in a table.
    @inline(__always)
    func find<K: CodingKey>(_ key: K) -> (
        table: JSONKeyTable, index: Int, key: JSONKeyTable.EncodedKey
    )? {
        guard let table else { return nil }
        // Safety: if there is a table, a key is plain data of one byte, or of none.
        let index = isEmpty ? 0 : Int(unsafeBitCast(key, to: UInt8.self))
        guard index < JSONKeyTable.keysMax else { return nil }
        return (table, index, table[index] ?? table.fill(index, key.stringValue))
    }

    /// Moves the container of this level to a place. Returns `nil` if there is no container yet, or
    /// if it has another reference.
    ///
    /// Returns the single reference that a container consists of. If this function named the
    /// container's type, each call would look up that type at run time. The look-up takes as long
    /// as making a container.
    @inline(__always)
    func lend(_ level: Int, at place: Place) -> AnyObject? {
        let slot = level & (Self.slotCount &- 1)
        guard isKnownUniquelyReferenced(&boxes[slot]) else { return nil }
        places[slot] = place
        return boxes[slot]
    }

    /// Makes a container, and keeps it for this level if possible. `make` gets the address from
    /// which a kept container reads its place, or `nil`.
    func keep<Container>(
        _ level: Int,
        at place: Place,
        _ make: (UnsafeMutablePointer<Place>?) -> Container
    ) -> Container {
        let slot = level & (Self.slotCount &- 1)
        // If the containers of the standard library are no longer one reference, none is kept.
        guard MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size, boxes[slot] == nil
        else { return make(nil) }
        (places + slot).initialize(to: place)
        let container = make(places + slot)
        // Safety: the standard library's keyed containers are a struct of one reference to an
        // object. The guard has compared the size with that of a reference.
        boxes[slot] = unsafeBitCast(container, to: AnyObject.self)
        return container
    }
}

/// The key types that a coder has used.
struct KeyTypes<Place>: ~Copyable {
    private var cache = TypeCache<KeyTypePointer<Place>>()

    deinit {
        for pointer in cache.values {
            pointer.pointee.deallocate()
            pointer.deallocate()
        }
    }

    @inline(__always)
    mutating func find<K: CodingKey>(_ type: K.Type) -> KeyTypePointer<Place> {
        cache.value(of: type) {
            let pointer = KeyTypePointer<Place>.allocate(capacity: 1)
            pointer.initialize(to: KeyType(type))
            return pointer
        }
    }
}

/// The encoded bytes of a key type's keys.
///
/// Synthesized `CodingKeys` are enums without payloads that take at most one byte, so that byte can
/// be an index. The text of a key is computed once, not once for every value. Other key types do
/// not use the table.
struct JSONKeyTable: Equatable {
    /// The maximum number of keys in the table; the text of further keys is computed for each use.
    static let keysMax = 64

    /// A key in the form `"key":`, whose memory is a whole number of words.
    struct EncodedKey {
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
    private let keys: UnsafeMutablePointer<EncodedKey?>

    init() {
        keys = .allocate(capacity: Self.keysMax)
        keys.initialize(repeating: nil, count: Self.keysMax)
    }

    func deallocate() {
        for index in 0..<Self.keysMax { keys[index]?.bytes.deallocate() }
        keys.deallocate()
    }

    /// Returns the key at an index below ``keysMax``; `nil` before its first use.
    @inline(__always)
    subscript(index: Int) -> EncodedKey? { keys[index] }

    @inline(never)
    func fill(_ index: Int, _ text: String) -> EncodedKey {
        var output = JSONOutput()
        output.string(text)
        output.byte(UInt8(ascii: ":"))
        let bytes = output.bytes
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: (bytes.count + 7) & ~7)
        copy.initialize(repeating: 0, count: (bytes.count + 7) & ~7)
        UnsafeMutableRawBufferPointer(start: copy, count: bytes.count).copyMemory(from: bytes)
        let hasEscapes = bytes.contains(UInt8(ascii: "\\"))
        let key = EncodedKey(bytes: copy, count: bytes.count, hasEscapes: hasEscapes)
        keys[index] = key
        return key
    }
}
