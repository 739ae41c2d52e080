/// How a type is coded; `Collection` is what codes collections in this direction.
enum TypePlan<Collection> {
    /// By its own `encode(to:)` or `init(from:)`.
    case plain
    /// By its own `init(from:)`, and then its raw text has to be the one that was read: an enum
    /// whose raw values are texts.
    case rawText
    case string, int, bool, double
    /// By the adapter of this index.
    case adapter(Int)
    /// Without the detour of an unkeyed container that the standard library's own code takes.
    case collection(Collection)
}

/// The plans of all types that came by.
struct TypePlans<Collection>: ~Copyable {
    let adapters: AdapterList
    private var cache = TypeCache<TypePlan<Collection>>()

    init(_ adapters: AdapterList) {
        self.adapters = adapters
    }

    /// How many types came by.
    var count: Int { cache.values.count }

    @inline(__always)
    mutating func plan<T>(for type: T.Type) -> TypePlan<Collection> {
        let adapters = adapters
        return cache.value(of: type) { Self.make(type, adapters) }
    }

    private static func make<T>(
        _ type: T.Type,
        _ adapters: AdapterList
    ) -> TypePlan<Collection> {
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
