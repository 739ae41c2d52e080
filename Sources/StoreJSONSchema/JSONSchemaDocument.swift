package import StoreJSON

/// The schemas of several types, with the definitions that they share.
package struct JSONSchemaDocument: Sendable {
    /// The schemas of the requested types, in the order of the request.
    package let roots: [JSONSchema]
    /// The definitions that the roots refer to, in the order of their first use.
    package let definitions: [JSONSchema.Property]

    /// Derives the schemas of types (protocol 6.1).
    ///
    /// Runs the types' own `init(from:)` on dummy values, many times; meant for start-up.
    ///
    /// - Parameters:
    ///   - types: the types to describe; the same type may come twice.
    ///   - reserved: names that definitions must not have.
    ///   - adapter: schemas of types whose JSON form is not that of their `Codable`, such as a date
    ///     as text.
    package init(
        of types: [any Decodable.Type],
        reserved: Set<String> = [],
        adapter: @escaping (any Any.Type) -> JSONSchema? = { _ in nil }
    ) {
        let deriver = JSONSchemaDeriver(reserved: reserved, adapter: adapter)
        let derived = types.map { deriver.schema(of: $0) }
        let resolved = deriver.resolve(derived)
        roots = resolved.roots
        definitions = resolved.definitions.map { JSONSchema.Property($0.name, $0.schema) }
    }
}

extension JSONSchema {
    /// Returns the schema of one type as a whole document (protocol 6.1).
    package static func schema(
        of type: any Decodable.Type,
        adapter: @escaping (any Any.Type) -> JSONSchema? = { _ in nil }
    ) -> Bytes {
        let document = JSONSchemaDocument(of: [type], adapter: adapter)
        var writer = JSONWriter(capacity: 4_096)
        writer.object { object in
            object.member("$schema", dialect)
            for root in document.roots { root.writeKeywords(to: &object) }
            write(definitions: document.definitions, to: &object)
        }
        return writer.bytes
    }
}

// Adapters

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
