import StoreJSON
import StoreTexts

/// Functions that describe the JSON form of a payload in one line:
/// `{text: string, to: [Place]}; Place = {x: integer, y?: integer}`.
///
/// Equal forms have equal texts. Members are sorted by name, because their order in JSON has no
/// meaning.
package enum PayloadText {
    /// Returns the text of each action's payload, in the order of `forms`.
    ///
    /// The function runs the `init(from:)` of the types on dummy values, so only start-up should
    /// call it.
    package static func texts(of forms: [ActionSignature]) -> [String] {
        let document = JSONSchemaDocument(of: [], and: forms)
        return forms.map { text(of: document.payloadSchema(of: $0), in: document) }
    }

    /// Returns the text for a type's JSON form.
    package static func text(of type: any Decodable.Type) -> String {
        let document = JSONSchemaDocument(of: [type])
        return text(of: document.roots[0], in: document)
    }

    private static func text(of schema: JSONSchema, in document: JSONSchemaDocument) -> String {
        var names: [String] = []
        // The text does not have the name of the payload's type. So renaming the type does not
        // change the text.
        var text = line(document.resolved(schema), &names)
        var described = 0
        while described < names.count {
            let name = names[described]
            described += 1
            guard let definition = document.definition(name) else { continue }
            text += "; \(name) = " + line(definition, &names)
        }
        return text
    }

    /// Returns the text of a schema. Adds to `names` the name of each definition that the schema
    /// refers to.
    private static func line(_ schema: JSONSchema, _ names: inout [String]) -> String {
        switch schema {
        case .any: return "any"
        case .null: return "null"
        case .boolean: return "boolean"
        case .number: return "number"
        case .integer(let minimum, let maximum):
            // The text does not have the bounds of `Int`.
            guard (minimum, maximum) != (.min, UInt64(Int64.max)) else { return "integer" }
            return "integer(\(minimum)...\(maximum))"
        case .string(let format): return format ?? "string"
        case .text(let pattern): return "text(\(JSONText.quoted(pattern)))"
        case .stringEnum(let texts): return texts.map(JSONText.quoted).joined(separator: " | ")
        case .integerEnum(let numbers): return numbers.map(String.init).joined(separator: " | ")
        case .array(let element): return "[" + line(element, &names) + "]"
        case .boundedArray(let element, let count):
            return "[\(line(element, &names)); \(count.lowerBound)...\(count.upperBound)]"
        case .tuple(let elements):
            return "(" + elements.map { line($0, &names) }.joined(separator: ", ") + ")"
        case .object(let members):
            let ordered = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            let fields = ordered.map { member in
                "\(member.name)\(member.isRequired ? "" : "?"): \(line(member.schema, &names))"
            }
            return "{" + fields.joined(separator: ", ") + "}"
        case .dictionary(let keys, let value):
            return "{[\(line(keys, &names))]: \(line(value, &names))}"
        case .oneOf(let schemas), .anyOf(let schemas):
            return "(" + schemas.map { line($0, &names) }.joined(separator: " | ") + ")"
        case .nullable(let schema): return line(schema, &names) + " | null"
        case .reference(let name):
            if !names.contains(exactly: name) { names.append(name) }
            return name
        }
    }
}
