extension JSONSchema {
    /// Returns a function that describes the types of these adapters. The functions for schemas
    /// take it as their parameter `adapter`.
    ///
    /// The schemas come from trials: each adapter gets dummy texts and numbers, and its schema
    /// permits the kinds that it accepts. A schema has a format only if the adapter accepts that
    /// format alone.
    package static func adapter(
        from adapters: [JSONAdapter]
    ) -> (any Any.Type) -> JSONSchema? {
        let schemas = Dictionary(adapters.map { ($0.type, schema(of: $0)) }) { _, last in last }
        return { schemas[ObjectIdentifier($0)] }
    }

    private static func schema(of adapter: JSONAdapter) -> JSONSchema {
        let texts = SchemaDummies.strings.filter { adapter.decode(.string($0)) != nil }
        let isNumber = ["0", "1"].contains { adapter.decode(.number($0)) != nil }
        let text: JSONSchema? =
            switch texts {
            case []: nil
            case ["2001-01-01T00:00:00Z"]: .string(format: "date-time")
            case ["00000000-0000-0000-0000-000000000000"]: .string(format: "uuid")
            default: .string()
            }
        switch (text, isNumber) {
        case (let text?, true): return .anyOf([text, .number])
        case (let text?, false): return text
        case (nil, true): return .number
        // The adapter accepts none of the dummies, so its form is unknown.
        case (nil, false): return .any
        }
    }
}
