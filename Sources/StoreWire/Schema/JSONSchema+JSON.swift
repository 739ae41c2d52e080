// A schema as JSON Schema text: for `GET /schema`, and for the OpenAPI description.

extension JSONSchema {
    /// The dialect of JSON Schema of every schema, in the form of `$schema`.
    package static let dialect = "https://json-schema.org/draft/2020-12/schema"

    /// Writes the schema as one JSON value. References point to `definitions`: `#/$defs/` in a
    /// schema and `#/components/schemas/` in OpenAPI.
    package func write(to writer: inout JSONWriter, definitions: String = "#/$defs/") {
        writer.object { writeKeywords(to: &$0, definitions: definitions) }
    }

    /// Writes the keywords into an object that the caller has begun.
    package func writeKeywords(to object: inout JSONWriter, definitions: String = "#/$defs/") {
        switch self {
        case .any:
            // A schema without keywords accepts every value.
            break
        case .null, .boolean, .number, .integer, .string, .text:
            writeScalar(to: &object, orNull: false)
        case .strings(let texts):
            object.member("type", "string")
            object.member("enum", texts)
        case .integers(let numbers):
            object.member("type", "integer")
            object.key("enum")
            object.array { for number in numbers { $0.integer(number) } }
        case .array(let element):
            object.member("type", "array")
            guard element != .any else { return }
            object.key("items")
            element.write(to: &object, definitions: definitions)
        case .boundedArray(let element, let count):
            object.member("type", "array")
            object.key("items")
            element.write(to: &object, definitions: definitions)
            object.member("minItems", count.lowerBound)
            object.member("maxItems", count.upperBound)
        case .tuple(let elements):
            object.member("type", "array")
            JSONSchema.writeList("prefixItems", elements, &object, definitions)
            object.member("minItems", elements.count)
        case .object(let properties):
            JSONSchema.writeObject(properties, &object, definitions)
        case .dictionary(let keys, let value):
            object.member("type", "object")
            if keys != .string() {
                object.key("propertyNames")
                keys.write(to: &object, definitions: definitions)
            }
            object.key("additionalProperties")
            value.write(to: &object, definitions: definitions)
        case .oneOf(let schemas):
            JSONSchema.writeList("oneOf", schemas, &object, definitions)
        case .anyOf(let schemas):
            JSONSchema.writeList("anyOf", schemas, &object, definitions)
        case .nullable(let schema):
            if schema.isScalar {
                schema.writeScalar(to: &object, orNull: true)
            } else {
                JSONSchema.writeList("anyOf", [schema, .null], &object, definitions)
            }
        case .reference(let name):
            object.member("$ref", definitions + JSONPointer.escaped(name))
        }
    }

    /// True if its `type` is one word, so that a list with "null" can replace it.
    private var isScalar: Bool {
        switch self {
        case .boolean, .number, .integer, .string, .text: true
        default: false
        }
    }

    /// Writes a schema whose `type` is one word, or a list of that word and "null".
    private func writeScalar(to object: inout JSONWriter, orNull: Bool) {
        let type =
            switch self {
            case .null: "null"
            case .boolean: "boolean"
            case .number: "number"
            case .integer: "integer"
            default: "string"
            }
        if orNull { object.member("type", [type, "null"]) } else { object.member("type", type) }
        switch self {
        case .integer(let minimum, let maximum):
            object.member("minimum", minimum)
            object.member("maximum", maximum)
        case .string(let format?):
            object.member("format", format)
        case .text(let pattern):
            object.member("pattern", pattern)
        default:
            break
        }
    }

    private static func writeObject(
        _ properties: [Property],
        _ object: inout JSONWriter,
        _ definitions: String
    ) {
        object.member("type", "object")
        guard !properties.isEmpty else { return }
        object.key("properties")
        object.object { members in
            for property in properties {
                members.key(property.name)
                property.schema.write(to: &members, definitions: definitions)
            }
        }
        let required = properties.filter(\.isRequired).map(\.name)
        if !required.isEmpty { object.member("required", required) }
    }

    private static func writeList(
        _ keyword: String,
        _ schemas: [JSONSchema],
        _ object: inout JSONWriter,
        _ definitions: String
    ) {
        object.key(keyword)
        object.array { list in
            for schema in schemas { schema.write(to: &list, definitions: definitions) }
        }
    }
}
