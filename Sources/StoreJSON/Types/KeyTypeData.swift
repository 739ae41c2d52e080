typealias KeyTypePointer<Place> = UnsafeMutablePointer<KeyTypeData<Place>>

/// The data that a coder stores for a key type: the encoded bytes of the keys, and containers that
/// the coder uses again.
///
/// The standard library allocates an object for each keyed container. Making this object takes
/// longer than coding a small value. So the coder uses a container again if no other code holds a
/// reference to it. The container's position in the document, a `Place`, is stored here and not in
/// the container.
struct KeyTypeData<Place> {
    /// The number of stored containers. Each of the first levels of nesting has its own container;
    /// deeper levels share these containers.
    private static var slotCount: Int { 8 }

    /// The encoded keys. `nil` if a key takes more than one byte, or contains references.
    private let table: JSONKeyTable?
    private let hasZeroSizeKeys: Bool
    private let containerPlaces: UnsafeMutablePointer<Place>
    private let containers: UnsafeMutablePointer<AnyObject?>

    init<K: CodingKey>(_ type: K.Type) {
        table = MemoryLayout<K>.size <= 1 && _isPOD(K.self) ? JSONKeyTable() : nil
        hasZeroSizeKeys = MemoryLayout<K>.size == 0
        containerPlaces = .allocate(capacity: Self.slotCount)
        containers = .allocate(capacity: Self.slotCount)
        containers.initialize(repeating: nil, count: Self.slotCount)
    }

    func deallocate() {
        table?.deallocate()
        containers.deinitialize(count: Self.slotCount)
        containers.deallocate()
        containerPlaces.deallocate()
    }

    /// Returns the key table, a key's index in the table, and the encoded key. Returns `nil` if no
    /// table can hold the key.
    @inline(__always)
    func find<K: CodingKey>(_ key: K) -> (
        table: JSONKeyTable, index: Int, key: JSONKeyTable.EncodedKey
    )? {
        guard let table else { return nil }
        // Safety: if there is a table, a key takes one byte or none, and contains no references.
        let index = hasZeroSizeKeys ? 0 : Int(unsafeBitCast(key, to: UInt8.self))
        guard index < JSONKeyTable.keysMax else { return nil }
        return (table, index, table[index] ?? table.addKey(index, key.stringValue))
    }

    /// Moves the stored container of a level to a place, and returns the container. Returns `nil`
    /// if no container is stored, or if other code holds a reference to it.
    ///
    /// The result is the single reference that a container consists of. If the result had the
    /// container's type, each call would look up that type at run time. The look-up takes as long
    /// as making a container.
    @inline(__always)
    func reuseContainer(_ level: Int, at place: Place) -> AnyObject? {
        let slot = level & (Self.slotCount &- 1)
        guard isKnownUniquelyReferenced(&containers[slot]) else { return nil }
        containerPlaces[slot] = place
        return containers[slot]
    }

    /// Makes a container, and stores it for this level if possible. `make` gets the memory from
    /// which a stored container reads its place. `make` gets `nil` if the container will not be
    /// stored.
    func makeContainer<Container>(
        _ level: Int,
        at place: Place,
        _ make: (UnsafeMutablePointer<Place>?) -> Container
    ) -> Container {
        let slot = level & (Self.slotCount &- 1)
        // If a container of the standard library is no longer a single reference, it cannot be
        // stored.
        guard MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size, containers[slot] == nil
        else { return make(nil) }
        (containerPlaces + slot).initialize(to: place)
        let container = make(containerPlaces + slot)
        // Safety: a keyed container of the standard library is a struct that consists of one
        // reference. The guard has checked that its size is the size of a reference.
        containers[slot] = unsafeBitCast(container, to: AnyObject.self)
        return container
    }
}

/// The key types that a coder has used.
struct KeyTypeCache<Place>: ~Copyable {
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
            pointer.initialize(to: KeyTypeData(type))
            return pointer
        }
    }
}

/// A table of the encoded keys of a key type.
///
/// Synthesized `CodingKeys` are enums without payloads, and a key takes at most one byte. This byte
/// is the key's index in the table. The table stores the text of each key, so the text is computed
/// only once. Other key types do not use a table.
struct JSONKeyTable: Equatable {
    /// The maximum number of keys in the table. The text of further keys is computed at each use.
    static let keysMax = 64

    /// The bytes of a key with quotes and colon, `"key":`. Their memory is padded to a whole number
    /// of words.
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

    /// The encoded keys, indexed by the byte of each key; `nil` before a key's first use.
    private let keys: UnsafeMutablePointer<EncodedKey?>

    init() {
        keys = .allocate(capacity: Self.keysMax)
        keys.initialize(repeating: nil, count: Self.keysMax)
    }

    func deallocate() {
        for index in 0..<Self.keysMax { keys[index]?.bytes.deallocate() }
        keys.deallocate()
    }

    /// Returns the encoded key at an index below ``keysMax``; `nil` before the key's first use.
    @inline(__always)
    subscript(index: Int) -> EncodedKey? { keys[index] }

    @inline(never)
    func addKey(_ index: Int, _ text: String) -> EncodedKey {
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
