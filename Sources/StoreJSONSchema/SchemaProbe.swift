import StoreJSON

/// A decoder without input. The probe records which members and values a type reads, and returns
/// dummy values.
struct SchemaProbe: Decoder {
    /// The settings that differ between the runs of one type's `init(from:)`.
    struct Attempt {
        /// The index of the dummy values that this run returns (``SchemaDummies``).
        var dummyIndex = 0
        /// The index of the only key that `allKeys` has in this run. Each key of an enum with
        /// payloads has its own run.
        var keyIndex = 0
        /// The types that the single value container refuses to decode, so that the probed type
        /// tries another type.
        var refusedTypes: Set<ObjectIdentifier> = []
    }

    let deriver: JSONSchemaDeriver
    let shape: SchemaShape
    let attempt: Attempt
    /// True if this probe is for the whole value. False if this probe is for a nested container.
    var isRoot = true

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedDecodingContainer<Key> {
        shape.containerKind = .keyed
        return KeyedDecodingContainer(SchemaProbeKeyedContainer<Key>(probe: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        shape.containerKind = .unkeyed
        return SchemaProbeUnkeyedContainer(probe: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        shape.containerKind = .singleValue
        return SchemaProbeSingleValueContainer(probe: self)
    }

    /// Returns a probe for a nested container of the same value, which records into `shape`.
    func nestedProbe(_ shape: SchemaShape) -> SchemaProbe {
        SchemaProbe(deriver: deriver, shape: shape, attempt: attempt, isRoot: false)
    }

    func schema(of type: any Decodable.Type) -> JSONSchema { deriver.schema(of: type) }

    func dummy<Value: Decodable>(_: Value.Type) throws -> Value {
        try deriver.dummy(Value.self, preferred: attempt.dummyIndex)
    }
}

/// An error that ends a run of `init(from:)` without a value. The shape still has the members and
/// values that the run has read.
enum SchemaProbeError: Error {
    case noDummy, refused
}

/// A keyed container that records the members that a type reads.
struct SchemaProbeKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: SchemaProbe

    var codingPath: [any CodingKey] { [] }

    /// The key for this run. An enum with payloads requires exactly one key, so the deriver makes a
    /// run for each key.
    var allKeys: [Key] {
        guard let keys = EnumCases.all(of: Key.self) else { return [] }
        if probe.isRoot { probe.deriver.noteKeyCount(keys.count) }
        let choice = probe.attempt.keyIndex
        return keys.indices.contains(choice) ? [keys[choice]] : Array(keys.prefix(1))
    }

    func contains(_ key: Key) -> Bool {
        probe.shape.notePresenceCheck(of: key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool {
        probe.shape.noteNullCheck(of: key.stringValue)
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        probe.shape.noteMember(key.stringValue, probe.schema(of: type), isRequired: true)
        return try probe.dummy(type)
    }

    /// Records an optional member and returns `nil`. Because the member is absent in every run, a
    /// type that contains itself does not recur without end.
    ///
    /// This generic function also implements the protocol's overloads for types such as `Int`. The
    /// default implementations of the overloads would decode the member.
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) -> Value? {
        probe.shape.noteMember(key.stringValue, probe.schema(of: type).orNull, isRequired: false)
        return nil
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) -> KeyedDecodingContainer<NestedKey> {
        memberProbe(key.stringValue).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
        memberProbe(key.stringValue).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { memberProbe("super") }
    func superDecoder(forKey key: Key) -> any Decoder { memberProbe(key.stringValue) }

    private func memberProbe(_ name: String) -> SchemaProbe {
        probe.nestedProbe(probe.shape.addMemberChild(name))
    }
}

/// An unkeyed container that records the elements that a type reads.
struct SchemaProbeUnkeyedContainer: UnkeyedDecodingContainer {
    let probe: SchemaProbe
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { [] }
    var count: Int? { nil }

    /// True after the first element. So a loop reads one element, and the schema of that element is
    /// the schema of all elements.
    var isAtEnd: Bool {
        probe.shape.noteEndCheck()
        return currentIndex >= 1
    }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        probe.shape.noteElement(probe.schema(of: type))
        try advance()
        return try probe.dummy(type)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nextElementProbe().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try nextElementProbe().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try nextElementProbe() }

    private mutating func nextElementProbe() throws -> SchemaProbe {
        try advance()
        return probe.nestedProbe(probe.shape.addElementChild())
    }

    /// Moves past an element. Throws an error after ``JSONSchemaDeriver/elementsMax`` elements, to
    /// end a loop that never reads `isAtEnd`.
    private mutating func advance() throws {
        currentIndex += 1
        guard currentIndex <= JSONSchemaDeriver.elementsMax else { throw SchemaProbeError.noDummy }
    }
}

/// A single value container that records the types that a type decodes from it.
struct SchemaProbeSingleValueContainer: SingleValueDecodingContainer {
    let probe: SchemaProbe

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool {
        probe.shape.noteNullCheck()
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard !probe.attempt.refusedTypes.contains(ObjectIdentifier(type)) else {
            throw SchemaProbeError.refused
        }
        probe.shape.noteSingleValue(probe.schema(of: type))
        if probe.isRoot { probe.deriver.noteSingleValueType(type) }
        return try probe.dummy(type)
    }
}
