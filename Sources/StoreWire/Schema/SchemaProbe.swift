/// A decoder without input: it records the requests of a type and returns dummy values.
struct SchemaProbe: Decoder {
    /// The difference between the runs of one type.
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
        shape.openKeyed()
        return KeyedDecodingContainer(SchemaProbeKeyed<Key>(probe: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        shape.openUnkeyed()
        return SchemaProbeUnkeyed(probe: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        shape.openSingle()
        return SchemaProbeSingle(probe: self)
    }

    /// Returns a decoder for a part of the same value.
    func part(_ shape: SchemaShape) -> SchemaProbe {
        SchemaProbe(deriver: deriver, shape: shape, attempt: attempt, isRoot: false)
    }

    func schema<Value: Decodable>(of _: Value.Type) -> JSONSchema {
        deriver.schema(of: Value.self)
    }

    func dummy<Value: Decodable>(_: Value.Type) throws -> Value {
        try deriver.dummy(Value.self, preferred: attempt.dummy)
    }
}

/// The error that ends a run without a value; the schema comes from the requests up to then.
enum SchemaProbeError: Error {
    case noDummy
    case refused
}
