/// A decoder without input: it notes what is asked of it and hands out dummy values.
struct SchemaProbe: Decoder {
    /// How one run differs from the next of the same type.
    struct Attempt {
        /// Which of the dummies is handed out.
        var dummy = 0
        /// Which of the keys an enum with payloads is shown.
        var choice = 0
        /// Types that a single value container refuses, to see what is tried instead.
        var refused: Set<ObjectIdentifier> = []
    }

    let deriver: JSONSchemaDeriver
    let shape: SchemaShape
    let attempt: Attempt
    /// Whether this decoder stands for the whole type, and not for a part of it.
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

    /// A decoder for a part of the same value.
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

/// No dummy value can be made; what was noted so far is the answer.
enum SchemaProbeError: Error {
    case noDummy
    case refused
}
