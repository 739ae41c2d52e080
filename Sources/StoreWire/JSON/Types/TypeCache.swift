/// A cache of values for types, found by the address of their metadata. A look-up takes a few
/// instructions. A dictionary would compute a hash, and a dynamic cast takes longer than coding a
/// small value.
struct TypeCache<Value>: ~Copyable {
    private typealias Slot = (type: ObjectIdentifier, value: Value)

    private static var slotCount: Int { 128 }
    private let slots: UnsafeMutablePointer<Slot?>
    private var all: [ObjectIdentifier: Value] = [:]

    init() {
        slots = .allocate(capacity: Self.slotCount)
        slots.initialize(repeating: nil, count: Self.slotCount)
    }

    deinit {
        slots.deinitialize(count: Self.slotCount)
        slots.deallocate()
    }

    /// All values in the cache.
    var values: some Collection<Value> { all.values }

    /// Returns the value for a type, which `make` computes the first time.
    @inline(__always)
    mutating func value(of type: Any.Type, make: () -> Value) -> Value {
        let id = ObjectIdentifier(type)
        let slot = slots + Int(bitPattern: UInt(bitPattern: id) >> 4) & (Self.slotCount &- 1)
        if let known = slot.pointee, known.type == id { return known.value }
        return find(id, slot, make)
    }

    @inline(never)
    private mutating func find(
        _ id: ObjectIdentifier,
        _ slot: UnsafeMutablePointer<Slot?>,
        _ make: () -> Value
    ) -> Value {
        // Two types may displace each other from a slot; `make` still runs once for each.
        let value = all[id] ?? make()
        all[id] = value
        slot.pointee = (id, value)
        return value
    }
}
