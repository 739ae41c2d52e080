/// The way in which a coder encodes or decodes a type. `Collection` is ``CollectionEncodable`` or
/// ``CollectionDecodable``.
enum TypePlan<Collection> {
    /// The coder calls the type's own `encode(to:)` or `init(from:)`.
    case ownCodable
    /// The type is an enum with texts as raw values. The coder calls the type's own code. A decoded
    /// raw value must have the same bytes as the text in the document.
    case textEnum
    case string, int, bool, double
    /// The coder uses the adapter at this index.
    case adapter(Int)
    /// The coder encodes or decodes the elements itself, without calling the collection's own code.
    case collection(Collection)
}

/// The plans of all types that a coder has encoded or decoded.
struct TypePlans<Collection>: ~Copyable {
    let adapters: AdapterList
    private var cache = TypeCache<TypePlan<Collection>>()

    init(_ adapters: AdapterList) { self.adapters = adapters }

    /// The number of types that have a plan.
    var count: Int { cache.values.count }

    @inline(__always)
    mutating func plan<T>(for type: T.Type) -> TypePlan<Collection> {
        let adapters = adapters
        return cache.value(of: type) { Self.makePlan(type, adapters) }
    }

    private static func makePlan<T>(_ type: T.Type, _ adapters: AdapterList) -> TypePlan<Collection>
    {
        if let place = adapters.index(of: type) { return .adapter(place) }
        if type == String.self { return .string }
        if type == Int.self { return .int }
        if type == Bool.self { return .bool }
        if type == Double.self { return .double }
        if let collection = type as? Collection { return .collection(collection) }
        if type is any RawRepresentable<String>.Type, EnumCases.isEnumWithoutPayloads(type) {
            return .textEnum
        }
        return .ownCodable
    }
}

/// A cache with a value for each type, indexed by the address of the type's metadata. A look-up
/// takes a few instructions. A dictionary would compute a hash; without a cache, a dynamic cast
/// would take longer than coding a small value.
struct TypeCache<Value>: ~Copyable {
    private typealias Slot = (type: ObjectIdentifier, value: Value)

    private static var slotCount: Int { 128 }
    private let slots: UnsafeMutablePointer<Slot?>
    private var valuesByType: [ObjectIdentifier: Value] = [:]

    init() {
        slots = .allocate(capacity: Self.slotCount)
        slots.initialize(repeating: nil, count: Self.slotCount)
    }

    deinit {
        slots.deinitialize(count: Self.slotCount)
        slots.deallocate()
    }

    /// All values in the cache.
    var values: some Collection<Value> { valuesByType.values }

    /// Returns the value for a type. `make` computes the value at the first call for this type.
    @inline(__always)
    mutating func value(of type: Any.Type, make: () -> Value) -> Value {
        let id = ObjectIdentifier(type)
        let slot = slots + Int(bitPattern: UInt(bitPattern: id) >> 4) & (Self.slotCount &- 1)
        if let known = slot.pointee, known.type == id { return known.value }
        return lookUpOrMake(id, slot, make)
    }

    @inline(never)
    private mutating func lookUpOrMake(
        _ id: ObjectIdentifier,
        _ slot: UnsafeMutablePointer<Slot?>,
        _ make: () -> Value
    ) -> Value {
        // Two types may displace each other from a slot. `make` still runs only once for each type.
        let value = valuesByType[id] ?? make()
        valuesByType[id] = value
        slot.pointee = (id, value)
        return value
    }
}
