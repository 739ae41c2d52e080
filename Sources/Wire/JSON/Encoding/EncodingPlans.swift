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

/// A collection without an order of its own, which is therefore written in sorted order.
protocol UnorderedEncodable {
    static func encodeSorted<T>(_ value: T, to state: EncodingStatePointer) throws
}

extension Dictionary: UnorderedEncodable where Key: Encodable, Value: Encodable {
    static func encodeSorted<T>(_ value: T, to state: EncodingStatePointer) throws {
        guard let dictionary = value as? Self else { return }
        if let named = Self.named(dictionary) {
            try encodeObject(named, to: state)
        } else {
            try encodeArray(dictionary, to: state)
        }
    }

    /// The members by their text, in their order; `nil` where the keys are no names.
    private static func named(_ dictionary: Self) -> [(key: String, value: Value)]? {
        if let byInt = dictionary as? [Int: Value] {
            return byInt.sorted { $0.key < $1.key }.map { (String($0.key), $0.value) }
        }
        let named: [(key: String, value: Value)]
        if let byString = dictionary as? [String: Value] {
            named = byString.map { ($0.key, $0.value) }
        } else if Key.self is any CodingKeyRepresentable.Type {
            named = dictionary.compactMap { member in
                (member.key as? any CodingKeyRepresentable)
                    .map { ($0.codingKey.stringValue, member.value) }
            }
        } else {
            return nil
        }
        return named.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    private static func encodeObject(
        _ members: [(key: String, value: Value)],
        to state: EncodingStatePointer
    ) throws {
        let level = state.pointee.depth
        try UnorderedDepth.check(level)
        let serial = state.pointee.open(UInt8(ascii: "{"), UInt8(ascii: "}"))
        for member in members {
            _ = state.pointee.enter(UInt32(level + 1), serial)
            state.pointee.output.string(member.key)
            state.pointee.output.byte(UInt8(ascii: ":"))
            try state.encode(member.value)
        }
        state.pointee.close(to: level)
    }

    /// Keys that are no names: an array of key, value, key, value…, as the standard library has it.
    private static func encodeArray(_ dictionary: Self, to state: EncodingStatePointer) throws {
        try SortedFragments.write(
            dictionary,
            to: state,
            encode: { member in
                try state.encode(member.key)
                state.pointee.output.byte(UInt8(ascii: ","))
                try state.encode(member.value)
            }
        )
    }
}

extension Set: UnorderedEncodable where Element: Encodable {
    static func encodeSorted<T>(_ value: T, to state: EncodingStatePointer) throws {
        guard let set = value as? Self else { return }
        try SortedFragments.write(set, to: state, encode: { try state.encode($0) })
    }
}

private enum UnorderedDepth {
    static func check(_ level: Int) throws {
        guard level < JSONLimits.depthCeiling else {
            throw EncodingError.invalidValue(
                level,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription: "The value nests deeper than \(JSONLimits.depthCeiling)."
                )
            )
        }
    }
}

/// Elements written one by one and then put in the order of their bytes.
private enum SortedFragments {
    static func write<S: Sequence>(
        _ elements: S,
        to state: EncodingStatePointer,
        encode: (S.Element) throws -> Void
    ) throws {
        let level = state.pointee.depth
        try UnorderedDepth.check(level)
        _ = state.pointee.open(UInt8(ascii: "["), UInt8(ascii: "]"))
        let start = state.pointee.output.count
        var fragments: [[UInt8]] = []
        for element in elements {
            let from = state.pointee.output.count
            try encode(element)
            fragments.append(Array(state.pointee.output.bytes[from...]))
        }
        state.pointee.output.truncate(to: start)
        fragments.sort { $0.lexicographicallyPrecedes($1) }
        for (index, fragment) in fragments.enumerated() {
            if index > 0 { state.pointee.output.byte(UInt8(ascii: ",")) }
            state.pointee.output.raw(fragment)
        }
        state.pointee.close(to: level)
    }
}
