import StoreTexts

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
}

extension ActionForm {
    /// The names of the payload's members, as the type reads them; `nil` where it may have others.
    /// The type's own `init(from:)` is run on dummy values: meant for start-up.
    package var memberNames: [String]? {
        let document = JSONSchemaDocument(of: [type])
        guard let root = document.roots.first,
            case .object(let members) = document.resolved(
                document.payload(of: self, document.resolved(root))
            )
        else { return nil }
        return members.map(\.name)
    }
}

extension ActionForm {
    /// The first part of a pointer that leads to nothing in any payload, as the type reads it: of
    /// `/step/x` that is `/step/x` where `/step` is a number; `nil` if the pointer may lead to
    /// something. The type's own `init(from:)` is run on dummy values: meant for start-up.
    package func deadEnd(of pointer: JSONPointer) -> JSONPointer? {
        let document = JSONSchemaDocument(of: [type])
        guard let root = document.roots.first else { return nil }
        var schemas = [document.payload(of: self, document.resolved(root))]
        for (index, token) in pointer.tokens.enumerated() {
            let parts = schemas.flatMap { document.parts(of: $0, at: token) }
            if parts.isEmpty { return JSONPointer(tokens: Array(pointer.tokens[...index])) }
            schemas = parts
        }
        return nil
    }
}

extension JSONSchemaDocument {
    /// How many references and unions are followed to one value.
    private static let nestingMax = 8

    /// What values of a schema may have at a token of a pointer; nothing below texts, numbers and
    /// the like.
    fileprivate func parts(
        of schema: JSONSchema,
        at token: String,
        nesting: Int = 0
    ) -> [JSONSchema] {
        guard nesting < Self.nestingMax else { return [.any] }
        let isIndex = !token.isEmpty && token.utf8.allSatisfy { 48...57 ~= $0 }
        switch schema {
        case .any: return [.any]
        case .object(let members):
            return members.filter { $0.name.isSame(as: token) }.map(\.schema)
        case .dictionary(_, let values): return [values]
        case .array(let elements), .boundedArray(let elements, _): return isIndex ? [elements] : []
        case .tuple(let elements):
            guard isIndex, let index = Int(token) else { return [] }
            return [elements.indices.contains(index) ? elements[index] : .any]
        case .oneOf(let schemas), .anyOf(let schemas):
            return schemas.flatMap { parts(of: $0, at: token, nesting: nesting + 1) }
        case .nullable(let inner): return parts(of: inner, at: token, nesting: nesting + 1)
        case .reference: return parts(of: resolved(schema), at: token, nesting: nesting + 1)
        case .null, .boolean, .number, .integer, .string, .text, .strings, .integers: return []
        }
    }

    /// The members of an enum's schema, one for each case: its name and its payload.
    func cases(of schema: JSONSchema) -> [JSONSchema.Property] {
        switch schema {
        case .oneOf(let schemas), .anyOf(let schemas): schemas.flatMap(cases)
        case .object(let properties) where properties.count == 1: properties
        case .strings(let names): names.map { JSONSchema.Property($0, .object([])) }
        case .reference(let name):
            definitions.first { $0.name == name }.map { cases(of: $0.schema) } ?? []
        default: []
        }
    }

    /// A schema, or the definition that it refers to.
    func resolved(_ schema: JSONSchema) -> JSONSchema {
        guard case .reference(let name) = schema else { return schema }
        return definitions.first { $0.name == name }?.schema ?? schema
    }

    /// The payload of an action: of the whole type, or of one of its cases.
    func payload(of action: ActionForm, _ root: JSONSchema) -> JSONSchema {
        guard let name = action.caseName else { return root }
        return cases(of: root).first { $0.name == name }?.schema ?? .any
    }
}

extension JSONSchema {
    /// Whether some value of this form is an object.
    var mayBeObject: Bool {
        switch self {
        case .any, .object, .dictionary, .reference: true
        case .oneOf(let schemas), .anyOf(let schemas): schemas.contains(where: \.mayBeObject)
        case .nullable(let schema): schema.mayBeObject
        case .null, .boolean, .number, .integer, .string, .text, .strings, .integers, .array,
            .boundedArray, .tuple:
            false
        }
    }
}

extension JSONSchema {
    /// The first of these members without which no value of an object's form can be read.
    package func needed(of names: [String]) -> String? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.isRequired && names.contains($0.name) }?.name
    }
}
