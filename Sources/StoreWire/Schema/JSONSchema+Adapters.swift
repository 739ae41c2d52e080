extension JSONSchema {
    /// Describes the types that adapters write, for `adapter` in the deriving functions.
    ///
    /// What an adapter reads is found out like everything else: it is given texts and numbers, and
    /// the schema has the kind that it takes. A format is named only where nothing but that format
    /// was taken.
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
        // It takes nothing that was tried. What it takes instead is not known.
        case (nil, false): return .any
        }
    }
}
