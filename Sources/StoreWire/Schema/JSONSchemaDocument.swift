/// Schemas of several types with the definitions that they share.
package struct JSONSchemaDocument: Sendable {
    /// The types that were asked for, in the order in which they were.
    package let roots: [JSONSchema]
    /// What the roots refer to, in the order in which it was met.
    package let definitions: [JSONSchema.Property]

    /// Derives the schemas of types (protocol 6.1).
    ///
    /// Runs the types' own `init(from:)` on dummy values, many times; meant for start-up.
    ///
    /// - Parameters:
    ///   - types: what to describe; the same type may come twice.
    ///   - reserved: names that definitions do not take.
    ///   - adapter: schemas of types that the encoder does not write as their `Codable` does, such
    ///     as a date as text.
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
    /// The schema of one type as a whole document (protocol 6.1).
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
