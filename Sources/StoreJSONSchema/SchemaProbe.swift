import StoreJSON

/// A decoder without input: it records the requests of a type and returns dummy values.
struct SchemaProbe: Decoder {
    /// The values in which the runs of one type differ.
    struct Attempt {
        /// The index of the dummies that this run returns.
        var dummy = 0
        /// The index of the only key that an enum with payloads gets.
        var choice = 0
        /// Types that a single value container refuses, so that the type tries another one.
        var refused: Set<ObjectIdentifier> = []
    }

    let deriver: JSONSchemaDeriver
    let shape: SchemaShape
    let attempt: Attempt
    /// True if this decoder is for the whole type, false if it is for a part of it.
    var isRoot = true

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedDecodingContainer<Key> {
        shape.container = .keyed
        return KeyedDecodingContainer(SchemaProbeKeyed<Key>(probe: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        shape.container = .unkeyed
        return SchemaProbeUnkeyed(probe: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        shape.container = .single
        return SchemaProbeSingle(probe: self)
    }

    /// Returns a decoder for a part of the same value.
    func part(_ shape: SchemaShape) -> SchemaProbe {
        SchemaProbe(deriver: deriver, shape: shape, attempt: attempt, isRoot: false)
    }

    func schema(of type: any Decodable.Type) -> JSONSchema { deriver.schema(of: type) }

    func dummy<Value: Decodable>(_: Value.Type) throws -> Value {
        try deriver.dummy(Value.self, preferred: attempt.dummy)
    }
}

/// The error that ends a run without a value; the earlier requests still determine the schema.
enum SchemaProbeError: Error {
    case noDummy, refused
}

/// The container for the members that a type asks for.
struct SchemaProbeKeyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: SchemaProbe

    var codingPath: [any CodingKey] { [] }

    /// A single key: an enum with payloads demands exactly one key, and runs once for each key.
    var allKeys: [Key] {
        guard let keys = EnumCases.all(of: Key.self) else { return [] }
        if probe.isRoot { probe.deriver.noteChoices(keys.count) }
        let choice = probe.attempt.choice
        return keys.indices.contains(choice) ? [keys[choice]] : Array(keys.prefix(1))
    }

    func contains(_ key: Key) -> Bool {
        probe.shape.asked(for: key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool {
        probe.shape.askedForNull(key.stringValue)
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        probe.shape.member(key.stringValue, probe.schema(of: type), isRequired: true)
        return try probe.dummy(type)
    }

    /// Records an optional member and returns `nil`: the member is absent in every run. This ends
    /// the recursion of types that contain themselves.
    ///
    /// The function implements each of the protocol's overloads. Their default implementations
    /// would decode the member.
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) -> Value? {
        probe.shape.member(key.stringValue, probe.schema(of: type).orNull, isRequired: false)
        return nil
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) -> KeyedDecodingContainer<NestedKey> {
        member(key.stringValue).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
        member(key.stringValue).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { member("super") }
    func superDecoder(forKey key: Key) -> any Decoder { member(key.stringValue) }

    private func member(_ name: String) -> SchemaProbe { probe.part(probe.shape.child(name)) }
}

/// The container for the elements that a type asks for.
struct SchemaProbeUnkeyed: UnkeyedDecodingContainer {
    let probe: SchemaProbe
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { [] }
    var count: Int? { nil }

    /// True after the first element: a loop reads one element, which has the form of all elements.
    var isAtEnd: Bool {
        probe.shape.askedForEnd()
        return currentIndex >= 1
    }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        probe.shape.element(probe.schema(of: type))
        try advance()
        return try probe.dummy(type)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try element().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try element().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try element() }

    private mutating func element() throws -> SchemaProbe {
        try advance()
        return probe.part(probe.shape.elementChild())
    }

    /// Moves past an element. Throws an error at the bound, to end a loop that waits for an error
    /// instead of asking for the end.
    private mutating func advance() throws {
        currentIndex += 1
        guard currentIndex <= JSONSchemaDeriver.elementsMax else { throw SchemaProbeError.noDummy }
    }
}

/// The container for the single value that a type asks for.
struct SchemaProbeSingle: SingleValueDecodingContainer {
    let probe: SchemaProbe

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool {
        probe.shape.askedForNull()
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard !probe.attempt.refused.contains(ObjectIdentifier(type)) else {
            throw SchemaProbeError.refused
        }
        probe.shape.value(probe.schema(of: type))
        if probe.isRoot { probe.deriver.noteSingle(type) }
        return try probe.dummy(type)
    }
}
