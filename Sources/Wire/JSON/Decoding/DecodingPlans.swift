/// How each type is read, found out once per type and remembered by its metadata.
struct DecodingPlans {
    enum Plan {
        /// By its own `init(from:)`.
        case plain
        case string, int, bool, double
        /// By the adapter of this index.
        case adapter(Int)
    }

    private static let slotCount = 128
    private var slots = [(type: ObjectIdentifier, plan: Plan)?](
        repeating: nil,
        count: Self.slotCount
    )
    private var all: [ObjectIdentifier: Plan] = [:]
    private(set) var adapters: [JSONAdapter] = []
    private var byType: [ObjectIdentifier: JSONAdapter] = [:]

    /// Uses these adapters from now on.
    mutating func use(_ byType: [ObjectIdentifier: JSONAdapter]) {
        if byType.isEmpty && self.byType.isEmpty { return }
        self.byType = byType
        adapters = []
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
        if let adapter = byType[ObjectIdentifier(type)] {
            adapters.append(adapter)
            return .adapter(adapters.count - 1)
        }
        if type == String.self { return .string }
        if type == Int.self { return .int }
        if type == Bool.self { return .bool }
        if type == Double.self { return .double }
        return .plain
    }
}
