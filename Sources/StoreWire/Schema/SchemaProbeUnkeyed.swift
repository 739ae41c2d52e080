/// The container for the elements that a type asks for.
struct SchemaProbeUnkeyed: UnkeyedDecodingContainer {
    let probe: SchemaProbe
    private(set) var currentIndex = 0

    init(probe: SchemaProbe) {
        self.probe = probe
    }

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
        currentIndex += 1
        try bound()
        return try probe.dummy(type)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        currentIndex += 1
        try bound()
        return probe.part(probe.shape.elementChild()).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        currentIndex += 1
        try bound()
        return probe.part(probe.shape.elementChild()).unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        currentIndex += 1
        try bound()
        return probe.part(probe.shape.elementChild())
    }

    /// Throws an error at the bound, to end a loop that waits for an error instead of asking for
    /// the end.
    private func bound() throws {
        guard currentIndex <= JSONSchemaDeriver.elementsMax else { throw SchemaProbeError.noDummy }
    }
}
