package import StoreJSON
import StoreTexts

/// The JSON form of one action: its wire name and the type of its payload.
package struct ActionSignature: Sendable {
    /// The wire name. For an action of instances, the name has a placeholder for the id:
    /// `cards/{id}/liked`.
    package let name: String
    /// The type of the payload. For a case of an enum of actions, this is the enum.
    package let type: any (Decodable & SendableMetatype).Type
    /// The name of the enum's case; `nil` if the action is no case of an enum.
    package let caseName: String?
    /// The regular expression for the wire names of all instances; `nil` if the action is not for
    /// instances.
    package let namePattern: String?

    package init(
        _ name: String,
        _ type: any (Decodable & SendableMetatype).Type,
        caseName: String? = nil,
        namePattern: String? = nil
    ) {
        self.name = name
        self.type = type
        self.caseName = caseName
        self.namePattern = namePattern
    }
}

extension ActionSignature {
    /// The names of the members that the payload may have; `nil` if the payload is not an object
    /// with fixed names. The property runs the type's `init(from:)` on dummy values, so only
    /// start-up should use it.
    package var payloadMemberNames: [String]? {
        let document = JSONSchemaDocument(of: [type])
        let payload = document.payloadSchema(of: self, document.resolved(document.roots[0]))
        guard case .object(let members) = document.resolved(payload) else { return nil }
        return members.map(\.name)
    }

    /// Returns the shortest prefix of a pointer that leads to no value in any payload. If `/step`
    /// is a number, the result for `/step/x/y` is `/step/x`. Returns `nil` if the whole pointer may
    /// lead to a value.
    ///
    /// The function runs the type's `init(from:)` on dummy values, so only start-up should call it.
    package func prefixWithoutValue(of pointer: JSONPointer) -> JSONPointer? {
        let document = JSONSchemaDocument(of: [type])
        var schemas = [document.payloadSchema(of: self, document.resolved(document.roots[0]))]
        for (index, token) in pointer.tokens.enumerated() {
            let parts = schemas.flatMap { document.childSchemas(of: $0, at: token) }
            if parts.isEmpty { return JSONPointer(tokens: Array(pointer.tokens[...index])) }
            schemas = parts
        }
        return nil
    }

    /// The schema of the wire name.
    var nameSchema: JSONSchema { namePattern.map { .text(pattern: $0) } ?? .stringEnum([name]) }
}

extension JSONSchemaDocument {
    /// The maximum number of nested references and unions between a schema and the schema of one of
    /// its parts.
    private static let nestingMax = 8

    /// Returns the possible schemas of the member or element that a token names in a value of
    /// `schema`. Several schemas are possible if `schema` is a union. Returns an empty array if no
    /// value of `schema` has such a member or element.
    func childSchemas(of schema: JSONSchema, at token: String, nesting: Int = 0) -> [JSONSchema] {
        guard nesting < Self.nestingMax else { return [.any] }
        let isIndex = !token.isEmpty && token.utf8.allSatisfy(\.isDigit)
        switch schema {
        case .any: return [.any]
        case .object(let members): return members.filter { $0.name.isSame(as: token) }.map(\.schema)
        case .dictionary(_, let values): return [values]
        case .array(let elements), .boundedArray(let elements, _): return isIndex ? [elements] : []
        case .tuple(let elements):
            guard isIndex, let index = Int(token) else { return [] }
            return [elements.indices.contains(index) ? elements[index] : .any]
        case .oneOf(let schemas), .anyOf(let schemas):
            return schemas.flatMap { childSchemas(of: $0, at: token, nesting: nesting + 1) }
        case .nullable(let inner): return childSchemas(of: inner, at: token, nesting: nesting + 1)
        case .reference: return childSchemas(of: resolved(schema), at: token, nesting: nesting + 1)
        case .null, .boolean, .number, .integer, .string, .text, .stringEnum, .integerEnum:
            return []
        }
    }

    /// Returns the cases in an enum's schema: the name and the schema of the payload of each case.
    func cases(of schema: JSONSchema) -> [JSONSchema.Property] {
        switch schema {
        case .oneOf(let schemas), .anyOf(let schemas): schemas.flatMap(cases)
        case .object(let properties) where properties.count == 1: properties
        case .stringEnum(let names): names.map { JSONSchema.Property($0, .object([])) }
        case .reference(let name): definition(name).map(cases) ?? []
        default: []
        }
    }

    /// Returns the definition that a reference leads to. Returns any other schema unchanged.
    func resolved(_ schema: JSONSchema) -> JSONSchema {
        guard case .reference(let name) = schema else { return schema }
        return definition(name) ?? schema
    }

    /// Returns the schema of an action's payload. `root` is the schema of the action's type. If the
    /// type is an enum of actions, the result is the payload of the action's case.
    func payloadSchema(of action: ActionSignature, _ root: JSONSchema) -> JSONSchema {
        guard let name = action.caseName else { return root }
        return cases(of: root).first { $0.name == name }?.schema ?? .any
    }
}

extension JSONSchema {
    /// True if a value of this schema can be an object.
    var mayBeObject: Bool {
        switch self {
        case .any, .object, .dictionary, .reference: true
        case .oneOf(let schemas), .anyOf(let schemas): schemas.contains(where: \.mayBeObject)
        case .nullable(let schema): schema.mayBeObject
        case .null, .boolean, .number, .integer, .string, .text, .stringEnum, .integerEnum, .array,
            .boundedArray, .tuple:
            false
        }
    }

    /// Returns the name of the first required member among the members with these names; `nil` if
    /// all of them are optional.
    package func firstRequiredMember(of names: [String]) -> String? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.isRequired && names.contains($0.name) }?.name
    }
}
