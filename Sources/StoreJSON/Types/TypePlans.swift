/// The way in which a type is coded. `Collection` is the protocol of encoded, or of decoded,
/// collections.
enum TypePlan<Collection> {
    /// With the type's own `encode(to:)` or `init(from:)`.
    case plain
    /// With the type's own `init(from:)`: an enum with texts as raw values. Its raw value must then
    /// have the bytes of the text in the document.
    case rawText
    case string, int, bool, double
    /// With the adapter at this index.
    case adapter(Int)
    /// Directly, without the unkeyed container of the standard library's own code.
    case collection(Collection)
}

/// The plans of all types that a coder has used.
struct TypePlans<Collection>: ~Copyable {
    let adapters: AdapterList
    private var cache = TypeCache<TypePlan<Collection>>()

    init(_ adapters: AdapterList) { self.adapters = adapters }

    /// The number of types that a coder has used.
    var count: Int { cache.values.count }

    @inline(__always)
    mutating func plan<T>(for type: T.Type) -> TypePlan<Collection> {
        let adapters = adapters
        return cache.value(of: type) { Self.make(type, adapters) }
    }

    private static func make<T>(_ type: T.Type, _ adapters: AdapterList) -> TypePlan<Collection> {
        if let place = adapters.place(of: type) { return .adapter(place) }
        if type == String.self { return .string }
        if type == Int.self { return .int }
        if type == Bool.self { return .bool }
        if type == Double.self { return .double }
        if let collection = type as? Collection { return .collection(collection) }
        if type is any RawRepresentable<String>.Type, EnumCases.isPlain(type) { return .rawText }
        return .plain
    }
}

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
