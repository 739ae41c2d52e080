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
