/// How each type is written, found out once per type and remembered by its metadata: a dynamic cast
/// takes longer than writing a small value.
struct EncodingPlans {
    enum Plan {
        /// By its own `encode(to:)`.
        case plain
        case string, int, bool, double
        /// In a way that takes a look at ``others``.
        case other(Int)
    }

    enum Other {
        case adapter(JSONAdapter)
        case unordered(any UnorderedEncodable.Type)
    }

    private static let slotCount = 128
    private var slots = [(type: ObjectIdentifier, plan: Plan)?](
        repeating: nil,
        count: Self.slotCount
    )
    private var all: [ObjectIdentifier: Plan] = [:]
    private(set) var others: [Other] = []
    private var adapters: [ObjectIdentifier: JSONAdapter] = [:]

    /// Uses these adapters from now on.
    mutating func use(_ adapters: [ObjectIdentifier: JSONAdapter]) {
        if adapters.isEmpty && self.adapters.isEmpty { return }
        self.adapters = adapters
        others = []
        all = [:]
        for slot in slots.indices { slots[slot] = nil }
    }

    @inline(__always)
    mutating func plan<T>(for type: T.Type) -> Plan {
        let id = ObjectIdentifier(type)
        let slot = Int(bitPattern: UInt(bitPattern: id) >> 4) & (Self.slotCount &- 1)
        if let known = slots[slot], known.type == id { return known.plan }
        return find(type, slot)
    }

    @inline(never)
    private mutating func find<T>(_ type: T.Type, _ slot: Int) -> Plan {
        // Two types may want one slot by turns; each is still looked into only once.
        let id = ObjectIdentifier(type)
        let plan = all[id] ?? make(type)
        all[id] = plan
        slots[slot] = (id, plan)
        return plan
    }

    private mutating func make<T>(_ type: T.Type) -> Plan {
        if let adapter = adapters[ObjectIdentifier(type)] {
            others.append(.adapter(adapter))
            return .other(others.count - 1)
        }
        if type == String.self { return .string }
        if type == Int.self { return .int }
        if type == Bool.self { return .bool }
        if type == Double.self { return .double }
        if let unordered = type as? any UnorderedEncodable.Type {
            others.append(.unordered(unordered))
            return .other(others.count - 1)
        }
        return .plain
    }
}
