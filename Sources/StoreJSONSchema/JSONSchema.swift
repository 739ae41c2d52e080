package import StoreJSON

/// The form of a JSON value, in the terms of JSON Schema 2020-12.
///
/// This type has only the keywords that Swift types need. A schema is a value, so that a program
/// can compare and compose schemas before it writes them.
public indirect enum JSONSchema: Sendable, Equatable {
    /// Any value.
    case any
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean
    /// Any number.
    case number
    /// A whole number between two bounds, both included.
    case integer(minimum: Int64, maximum: UInt64)
    /// A text. A `format` restricts the text to a format of JSON Schema, such as `date-time`,
    /// `uuid` or `uri`.
    case string(format: String? = nil)
    /// A text that contains a match of a regular expression (ECMA-262).
    case text(pattern: String)
    /// A text from this list.
    case stringEnum([String])
    /// A whole number from this list.
    case integerEnum([Int64])
    /// An array. All its elements have this schema.
    case array(of: JSONSchema)
    /// An array with a number of elements in the range `count`. All its elements have this schema.
    case boundedArray(of: JSONSchema, count: ClosedRange<Int>)
    /// An array whose first elements have these schemas, in this order. More elements of any form
    /// may follow.
    case tuple([JSONSchema])
    /// An object with these members. Other members are permitted and ignored. The order of this
    /// list matters for equality, and is the order in the JSON text.
    case object([Property])
    /// An object with any number of members. All names have the schema `keys`, and all values have
    /// the schema `of`.
    case dictionary(keys: JSONSchema = .string(), of: JSONSchema)
    /// A value that has exactly one of these schemas.
    case oneOf([JSONSchema])
    /// A value that has at least one of these schemas.
    case anyOf([JSONSchema])
    /// A value of this schema, or `null`.
    case nullable(JSONSchema)
    /// A reference to the definition with this name in the document.
    case reference(String)

    /// A member of an object.
    public struct Property: Sendable, Equatable {
        /// The member's name on the wire.
        public let name: String
        /// The form of the member's value.
        public let schema: JSONSchema
        /// True if an object without this member is invalid.
        public let isRequired: Bool

        /// Makes the description of one member.
        public init(_ name: String, _ schema: JSONSchema, isRequired: Bool = true) {
            self.name = name
            self.schema = schema
            self.isRequired = isRequired
        }
    }
}

extension JSONSchema {
    /// The schema of a text that is a whole number, such as a key of a dictionary with `Int` keys.
    static let integerText = JSONSchema.text(pattern: "^-?[0-9]+$")

    /// Returns the schema of a whole number with the bounds of a Swift integer type.
    static func integer<Value: FixedWidthInteger>(_: Value.Type) -> JSONSchema {
        .integer(minimum: Int64(clamping: Value.min), maximum: UInt64(clamping: Value.max))
    }

    /// Returns a schema that permits the values of all these schemas. Duplicates are left out.
    /// Returns a single schema unchanged, and `any` for an empty list.
    static func union(_ schemas: [JSONSchema]) -> JSONSchema {
        var distinct: [JSONSchema] = []
        for schema in schemas where !distinct.contains(schema) { distinct.append(schema) }
        guard let first = distinct.first else { return .any }
        return distinct.count == 1 ? first : .anyOf(distinct)
    }

    /// The schema that permits the values of this schema, and also `null`. If this schema permits
    /// `null` already, the result is this schema.
    var orNull: JSONSchema {
        switch self {
        case .any, .null, .nullable: self
        default: .nullable(self)
        }
    }

    /// Returns the same schema with each direct part, such as the schema of a member, replaced by
    /// the result of `change`.
    func mapParts(_ change: (JSONSchema) -> JSONSchema) -> JSONSchema {
        switch self {
        case .any, .null, .boolean, .number, .integer, .string, .text, .stringEnum, .integerEnum,
            .reference:
            self
        case .array(let element): .array(of: change(element))
        case .boundedArray(let element, let count): .boundedArray(of: change(element), count: count)
        case .tuple(let elements): .tuple(elements.map(change))
        case .object(let properties):
            .object(properties.map { .init($0.name, change($0.schema), isRequired: $0.isRequired) })
        case .dictionary(let keys, let value): .dictionary(keys: change(keys), of: change(value))
        case .oneOf(let schemas): .oneOf(schemas.map(change))
        case .anyOf(let schemas): .anyOf(schemas.map(change))
        case .nullable(let schema): .nullable(change(schema))
        }
    }

    /// True if the schema is so short that it needs no definition.
    ///
    /// The property is false for a schema with a reference, because the definition may refer to
    /// this schema again.
    var isShort: Bool {
        switch self {
        case .any, .null, .boolean, .number, .integer, .string, .text: true
        case .nullable(let schema), .array(let schema): schema.isShort
        default: false
        }
    }
}

/// A type that declares the JSON Schema of its values.
///
/// For other types, the schema is derived by decoding the type from dummy values. The derivation
/// fails if the type's `init(from:)` accepts only few values, or reads different members for
/// different values. Such a type has to declare its schema:
///
/// ```swift
/// extension Percentage: JSONSchemaProviding {
///     static var jsonSchema: JSONSchema { .integer(minimum: 0, maximum: 100) }
/// }
/// ```
public protocol JSONSchemaProviding {
    /// The schema of the type's values in JSON.
    static var jsonSchema: JSONSchema { get }
}

// Writing a schema as JSON Schema, for `GET /schema` and for the OpenAPI description.

extension JSONSchema {
    /// The URI of the dialect of JSON Schema in which all schemas are written. The URI is the value
    /// of `$schema`.
    package static let dialect = "https://json-schema.org/draft/2020-12/schema"

    /// Writes the schema as a JSON object. If there is a name, the object becomes the member
    /// `name`. `definitions` is the prefix of references: `#/$defs/` in a schema and
    /// `#/components/schemas/` in OpenAPI.
    package func write(
        as name: String? = nil,
        to writer: inout JSONWriter,
        definitions: String = "#/$defs/"
    ) {
        writer.object(as: name) { writeKeywords(to: &$0, definitions: definitions) }
    }

    /// Writes the keywords of the schema into an object that the caller has begun.
    package func writeKeywords(to object: inout JSONWriter, definitions: String = "#/$defs/") {
        switch self {
        case .any:
            // A schema without keywords accepts every value.
            break
        case .null, .boolean, .number, .integer, .string, .text:
            writeScalar(to: &object, orNull: false)
        case .stringEnum(let texts):
            object.member("type", "string")
            object.member("enum", texts)
        case .integerEnum(let numbers):
            object.member("type", "integer")
            object.array(as: "enum") { for number in numbers { $0.integer(number) } }
        case .array(let element):
            object.member("type", "array")
            guard element != .any else { return }
            element.write(as: "items", to: &object, definitions: definitions)
        case .boundedArray(let element, let count):
            object.member("type", "array")
            element.write(as: "items", to: &object, definitions: definitions)
            object.member("minItems", count.lowerBound)
            object.member("maxItems", count.upperBound)
        case .tuple(let elements):
            object.member("type", "array")
            JSONSchema.writeList("prefixItems", elements, &object, definitions)
            object.member("minItems", elements.count)
        case .object(let properties): JSONSchema.writeObject(properties, &object, definitions)
        case .dictionary(let keys, let value):
            object.member("type", "object")
            if keys != .string() {
                keys.write(as: "propertyNames", to: &object, definitions: definitions)
            }
            value.write(as: "additionalProperties", to: &object, definitions: definitions)
        case .oneOf(let schemas): JSONSchema.writeList("oneOf", schemas, &object, definitions)
        case .anyOf(let schemas): JSONSchema.writeList("anyOf", schemas, &object, definitions)
        case .nullable(let schema):
            if schema.isScalar {
                schema.writeScalar(to: &object, orNull: true)
            } else {
                JSONSchema.writeList("anyOf", [schema, .null], &object, definitions)
            }
        case .reference(let name): object.member("$ref", definitions + JSONPointer.escaped(name))
        }
    }

    /// True if the schema describes a boolean, a number or a text. To permit `null`, the `type` of
    /// such a schema becomes a list with `null`.
    private var isScalar: Bool {
        switch self {
        case .boolean, .number, .integer, .string, .text: true
        default: false
        }
    }

    /// Writes the keywords of a scalar. If `orNull` is true, `type` is a list of the scalar's type
    /// and `null`.
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
        case .string(let format?): object.member("format", format)
        case .text(let pattern): object.member("pattern", pattern)
        default: break
        }
    }

    private static func writeObject(
        _ properties: [Property],
        _ object: inout JSONWriter,
        _ definitions: String
    ) {
        object.member("type", "object")
        guard !properties.isEmpty else { return }
        object.object(as: "properties") { members in
            for property in properties {
                property.schema.write(as: property.name, to: &members, definitions: definitions)
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
        object.array(as: keyword) { list in
            for schema in schemas { schema.write(to: &list, definitions: definitions) }
        }
    }
}
