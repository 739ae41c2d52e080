/// What one action looks like on the wire.
package struct ActionForm: Sendable {
    /// The wire name; for an action of instances that of all of them, `cards/{id}/liked`.
    package let name: String
    /// The type of the payload, or the enum that it is a case of.
    package let type: any (Decodable & SendableMetatype).Type
    /// The case's name, where the type is such an enum.
    package let caseName: String?
    /// What the wire names of all instances match, where it is for instances.
    package let pattern: String?

    package init(
        _ name: String,
        _ type: any (Decodable & SendableMetatype).Type,
        caseName: String? = nil,
        pattern: String? = nil
    ) {
        self.name = name
        self.type = type
        self.caseName = caseName
        self.pattern = pattern
    }

    /// The names of the cases of an enum whose `Codable` the compiler wrote: an object with one member,
    /// the case, whose value holds the associated values.
    package static func cases(of type: any (Decodable & SendableMetatype).Type) -> [String] {
        let document = JSONSchemaDocument(of: [type])
        return document.cases(of: document.roots[0]).map(\.name)
    }
}

extension JSONSchemaDocument {
    /// The members of an enum's schema, one for each case.
    func cases(of schema: JSONSchema) -> [JSONSchema.Property] {
        switch schema {
        case .oneOf(let schemas), .anyOf(let schemas): schemas.flatMap(cases)
        case .object(let properties) where properties.count == 1: properties
        case .reference(let name):
            definitions.first { $0.name == name }.map { cases(of: $0.schema) } ?? []
        default: []
        }
    }
}
