package import StoreJSON

/// The schemas of several types, and the definitions that these schemas share.
package struct JSONSchemaDocument: Sendable {
    /// The schemas of the requested types, in the order of the request.
    package let roots: [JSONSchema]
    /// The definitions that the roots refer to, in the order of their first use.
    package let definitions: [JSONSchema.Property]
    /// The index of each type's schema in ``roots``.
    private let rootIndexByType: [ObjectIdentifier: Int]

    /// Derives the schemas of types (protocol 6.1).
    ///
    /// This initialiser runs the `init(from:)` of the types on dummy values, many times. So only
    /// start-up should call it.
    ///
    /// - Parameters:
    ///   - types: the types of the schemas. The array may contain a type twice.
    ///   - reserved: names that definitions must not have.
    package init(of types: [any Decodable.Type], reserved: Set<String> = []) {
        let deriver = JSONSchemaDeriver(reserved: reserved)
        (roots, definitions) = deriver.inlineSingleReferences(types.map { deriver.schema(of: $0) })
        rootIndexByType = Dictionary(zip(types.map { ObjectIdentifier($0) }, 0...)) { _, last in
            last
        }
    }

    /// Derives the schemas of `types`, followed by the schemas of the actions' types. A type of
    /// several actions, such as an enum, has only one schema.
    init(of types: [any Decodable.Type], and actions: [ActionSignature], reserved: Set<String> = [])
    {
        var known: Set<ObjectIdentifier> = []
        let added = actions.map(\.type).filter { known.insert(ObjectIdentifier($0)).inserted }
        self.init(of: types + added, reserved: reserved)
    }

    /// Returns the definition of this name; `nil` if there is none.
    func definition(_ name: String) -> JSONSchema? { definitions.first { $0.name == name }?.schema }

    /// Returns the schema of an action's payload. ``roots`` has to contain the schema of the
    /// action's type.
    func payloadSchema(of action: ActionSignature) -> JSONSchema {
        payloadSchema(
            of: action,
            rootIndexByType[ObjectIdentifier(action.type)].map { roots[$0] } ?? .any
        )
    }
}

extension JSONSchema {
    /// Returns the schema of one type as a whole document (protocol 6.1).
    package static func document(of type: any Decodable.Type) -> Bytes {
        let document = JSONSchemaDocument(of: [type])
        var writer = JSONWriter(capacity: 4_096)
        writer.object { object in
            object.member("$schema", dialect)
            for root in document.roots { root.writeKeywords(to: &object) }
            write(definitions: document.definitions, to: &object)
        }
        return writer.bytes
    }
}
