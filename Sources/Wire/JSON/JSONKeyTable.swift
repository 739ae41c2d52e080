/// The ready-made bytes of a key type's keys.
///
/// Synthesized `CodingKeys` are enums of at most one byte without payload, so that byte can be an
/// index: a key's text is asked for once, not once for every value. Other key types pass by.
struct JSONKeyTable: Equatable {
    /// Keys beyond this many in one type are looked up the long way.
    static let keysMax = 64

    /// Each key as `"key":`, by the key's own byte; filled as keys come by. The byte behind the
    /// colon is 1 where the key has escapes.
    private let slots: UnsafeMutablePointer<UnsafeBufferPointer<UInt8>>

    init() {
        slots = .allocate(capacity: Self.keysMax)
        slots.initialize(
            repeating: UnsafeBufferPointer(start: nil, count: 0),
            count: Self.keysMax
        )
    }

    func deallocate() {
        for index in 0..<Self.keysMax { slots[index].deallocate() }
        slots.deallocate()
    }

    /// Whether a key's byte may serve as its index.
    @inline(__always)
    static func serves<K: CodingKey>(_ type: K.Type) -> Bool {
        MemoryLayout<K>.size <= 1 && _isPOD(K.self)
    }

    /// The place of a key, or `nil` for one that has none here.
    @inline(__always)
    static func index<K: CodingKey>(of key: K) -> Int? {
        if MemoryLayout<K>.size == 0 { return 0 }
        // Safety: `serves` has seen that a key is plain data of one byte.
        let index = Int(withUnsafeBytes(of: key) { $0[0] })
        return index < keysMax ? index : nil
    }

    /// The key at a place with its quotes and the colon; empty where it was never asked for.
    subscript(index: Int) -> UnsafeBufferPointer<UInt8> { slots[index] }

    /// The key with its quotes and the colon.
    @inline(__always)
    func encoded<K: CodingKey>(_ key: K, at index: Int) -> UnsafeBufferPointer<UInt8> {
        let known = slots[index]
        if known.baseAddress != nil { return known }
        return fill(index, key.stringValue)
    }

    /// The key's text between its quotes, or `nil` for a key that has no place here or needs an
    /// escape, whose written form is not its text.
    @inline(__always)
    func text<K: CodingKey>(_ key: K) -> UnsafeBufferPointer<UInt8>? {
        guard let index = Self.index(of: key) else { return nil }
        let encoded = encoded(key, at: index)
        guard let base = encoded.baseAddress, base[encoded.count] == 0 else { return nil }
        return UnsafeBufferPointer(start: base + 1, count: encoded.count - 3)
    }

    @inline(never)
    private func fill(_ index: Int, _ key: String) -> UnsafeBufferPointer<UInt8> {
        var output = JSONOutput()
        output.string(key)
        output.byte(UInt8(ascii: ":"))
        let bytes = output.array
        let hasEscapes: UInt8 = bytes.contains(UInt8(ascii: "\\")) ? 1 : 0
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count + 1)
        _ = copy.initialize(from: bytes + [hasEscapes])
        slots[index] = UnsafeBufferPointer(start: copy.baseAddress, count: bytes.count)
        return slots[index]
    }
}

/// The key tables of one encoder or decoder, found by the key type's metadata.
struct JSONKeyTables {
    private static let slotCount = 64
    private var slots = [(type: ObjectIdentifier, table: JSONKeyTable)?](
        repeating: nil,
        count: Self.slotCount
    )
    private var all: [ObjectIdentifier: JSONKeyTable] = [:]

    @inline(__always)
    mutating func table<K: CodingKey>(for type: K.Type) -> JSONKeyTable? {
        guard JSONKeyTable.serves(type) else { return nil }
        let id = ObjectIdentifier(type)
        let slot = Int(bitPattern: UInt(bitPattern: id) >> 4) & (Self.slotCount &- 1)
        if let known = slots[slot], known.type == id { return known.table }
        return find(id, slot)
    }

    @inline(never)
    private mutating func find(_ id: ObjectIdentifier, _ slot: Int) -> JSONKeyTable {
        let table = all[id] ?? JSONKeyTable()
        all[id] = table
        slots[slot] = (id, table)
        return table
    }

    func deallocate() {
        for table in all.values { table.deallocate() }
    }
}
