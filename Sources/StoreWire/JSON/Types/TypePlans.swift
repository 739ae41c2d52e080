/// The way in which a type is coded. `Collection` is the protocol for the collections of this
/// direction.
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

    init(_ adapters: AdapterList) {
        self.adapters = adapters
    }

    /// The number of types that a coder has used.
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
