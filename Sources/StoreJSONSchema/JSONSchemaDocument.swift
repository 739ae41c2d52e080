package import StoreJSON

/// The schemas of several types, with the definitions that they share.
package struct JSONSchemaDocument: Sendable {
    /// The schemas of the requested types, in the order of the request.
    package let roots: [JSONSchema]
    /// The definitions that the roots refer to, in the order of their first use.
    package let definitions: [JSONSchema.Property]
    /// The place of each type in ``roots``.
    private let places: [ObjectIdentifier: Int]

    /// Derives the schemas of types (protocol 6.1).
    ///
    /// Runs the types' own `init(from:)` on dummy values, many times; meant for start-up.
    ///
    /// - Parameters:
    ///   - types: the types to describe; the same type may come twice.
    ///   - reserved: names that definitions must not have.
    package init(of types: [any Decodable.Type], reserved: Set<String> = []) {
        let deriver = JSONSchemaDeriver(reserved: reserved)
        (roots, definitions) = deriver.resolve(types.map { deriver.schema(of: $0) })
        places = Dictionary(zip(types.map { ObjectIdentifier($0) }, 0...)) { _, last in last }
    }

    /// Derives the schemas of types and, after them, of the actions' types. Each type of actions
    /// comes once: an enum may have many actions.
    init(of types: [any Decodable.Type], and actions: [ActionForm], reserved: Set<String> = []) {
        var known: Set<ObjectIdentifier> = []
        let added = actions.map(\.type).filter { known.insert(ObjectIdentifier($0)).inserted }
        self.init(of: types + added, reserved: reserved)
    }

    /// Returns the definition of this name; `nil` if there is none.
    func definition(_ name: String) -> JSONSchema? { definitions.first { $0.name == name }?.schema }

    /// Returns the payload of an action whose type is one of the roots.
    func payload(of action: ActionForm) -> JSONSchema {
        payload(of: action, places[ObjectIdentifier(action.type)].map { roots[$0] } ?? .any)
    }
}

extension JSONSchema {
    /// Returns the schema of one type as a whole document (protocol 6.1).
    package static func schema(of type: any Decodable.Type) -> Bytes {
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
