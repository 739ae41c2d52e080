typealias KeyTypePointer<Place> = UnsafeMutablePointer<KeyType<Place>>

/// What one coder keeps of a key type: the ready-made bytes of its keys, and containers that are
/// handed out again and again.
///
/// The standard library puts each keyed container into an object of its own, which takes longer to
/// make than a small value to code. A container without another reference is used again: its place
/// in the document, a `Place`, is stored here and not in it.
struct KeyType<Place> {
    /// How many containers are kept: one for each level down to this, then from the first again.
    private static var slotCount: Int { 8 }

    /// `nil` where a key is not a byte.
    let table: JSONKeyTable?
    private let isEmpty: Bool
    private let places: UnsafeMutablePointer<Place>
    private let boxes: UnsafeMutablePointer<AnyObject?>

    init<K: CodingKey>(_ type: K.Type) {
        table = JSONKeyTable.serves(type) ? JSONKeyTable() : nil
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

    /// The place of a key in the table.
    @inline(__always)
    func index<K: CodingKey>(of key: K) -> Int {
        // Safety: where there is a table, a key is plain data of one byte, or of none.
        isEmpty ? 0 : Int(unsafeBitCast(key, to: UInt8.self))
    }

    /// Puts the container of this level at a place, unless there is none yet or it has another
    /// reference.
    ///
    /// Returns the one reference that it consists of: to name its type here would have the runtime
    /// look that up each time, which takes as long as making a container.
    @inline(__always)
    func lend(_ level: Int, at place: Place) -> AnyObject? {
        let slot = level & (Self.slotCount &- 1)
        guard isKnownUniquelyReferenced(&boxes[slot]) else { return nil }
        places[slot] = place
        return boxes[slot]
    }

    /// Where the container of this level, once there is one to keep, finds its place.
    func vacancy<Container>(_ level: Int, for type: Container.Type) -> UnsafeMutablePointer<Place>?
    {
        let slot = level & (Self.slotCount &- 1)
        // Were the standard library's containers no longer one reference, none would be kept.
        guard MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size else { return nil }
        return boxes[slot] == nil ? places + slot : nil
    }

    /// Keeps a container that finds its place at `vacancy`.
    func keep<Container>(_ container: Container, _ vacancy: UnsafeMutablePointer<Place>) {
        // Safety: the standard library's keyed containers are a struct of one reference to an
        // object; `vacancy` has seen that the size is that of one.
        boxes[vacancy - places] = unsafeBitCast(container, to: AnyObject.self)
    }
}

/// The key types that came by.
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
