/// The form of a JSON value, in the terms of JSON Schema 2020-12.
///
/// Only the keywords that Swift types need are here. A schema is a value, so that the program can
/// compare and compose schemas before it writes them.
public indirect enum JSONSchema: Sendable, Equatable {
    /// Any value at all.
    case any
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean
    /// Any number.
    case number
    /// A whole number between two bounds, both included.
    case integer(minimum: Int64, maximum: UInt64)
    /// Text with a `format` of JSON Schema (`date-time`, `uuid`, `uri`), or any text.
    case string(format: String? = nil)
    /// Text that matches a regular expression (ECMA-262) at any place.
    case text(pattern: String)
    /// A text from this list.
    case strings([String])
    /// A whole number from this list.
    case integers([Int64])
    /// An array whose elements all have this form.
    case array(of: JSONSchema)
    /// An array whose elements all have this form, with a number of elements in the range `count`.
    case boundedArray(of: JSONSchema, count: ClosedRange<Int>)
    /// An array whose first elements have these forms, in this order; more may follow.
    case tuple([JSONSchema])
    /// An object with these members, in the order of the JSON text; other members are ignored.
    case object([Property])
    /// An object whose names have the form `keys` and whose values all have one form.
    case dictionary(keys: JSONSchema = .string(), of: JSONSchema)
    /// Exactly one of these schemas.
    case oneOf([JSONSchema])
    /// At least one of these schemas.
    case anyOf([JSONSchema])
    /// This schema, or `null`.
    case nullable(JSONSchema)
    /// The definition with this name in the document.
    case reference(String)

    /// A member of an object.
    public struct Property: Sendable, Equatable {
        /// The member's name on the wire.
        public let name: String
        /// The form of the member's value.
        public let schema: JSONSchema
        /// True if an object without this member is invalid.
        public let isRequired: Bool

        /// Describes one member.
        public init(_ name: String, _ schema: JSONSchema, isRequired: Bool = true) {
            self.name = name
            self.schema = schema
            self.isRequired = isRequired
        }
    }
}

extension JSONSchema {
    /// Text in the form of a whole number, such as a key.
    static let integerText = JSONSchema.text(pattern: "^-?[0-9]+$")

    /// Returns a whole number with the bounds of a Swift integer type.
    static func integer<Value: FixedWidthInteger>(_: Value.Type) -> JSONSchema {
        .integer(
            minimum: Int64(clamping: Value.min),
            maximum: UInt64(clamping: Value.max)
        )
    }

    /// Returns a schema for any of several schemas, without duplicates. A single schema is returned
    /// unchanged.
    static func union(_ schemas: [JSONSchema]) -> JSONSchema {
        var distinct: [JSONSchema] = []
        for schema in schemas where !distinct.contains(schema) { distinct.append(schema) }
        guard let first = distinct.first else { return .any }
        return distinct.count == 1 ? first : .anyOf(distinct)
    }

    /// This schema or `null`, without a second `null`.
    var orNull: JSONSchema {
        switch self {
        case .any, .null, .nullable: self
        default: .nullable(self)
        }
    }

    /// Returns the same schema with each direct part replaced.
    func mapParts(_ change: (JSONSchema) -> JSONSchema) -> JSONSchema {
        switch self {
        case .any, .null, .boolean, .number, .integer, .string, .text, .strings, .integers,
            .reference:
            self
        case .array(let element): .array(of: change(element))
        case .boundedArray(let element, let count):
            .boundedArray(of: change(element), count: count)
        case .tuple(let elements): .tuple(elements.map(change))
        case .object(let properties):
            .object(
                properties.map {
                    Property($0.name, change($0.schema), isRequired: $0.isRequired)
                }
            )
        case .dictionary(let keys, let value): .dictionary(keys: change(keys), of: change(value))
        case .oneOf(let schemas): .oneOf(schemas.map(change))
        case .anyOf(let schemas): .anyOf(schemas.map(change))
        case .nullable(let schema): .nullable(change(schema))
        }
    }

    /// True if the schema takes a few words, so that a definition of its own would only hide it.
    ///
    /// False for a schema that refers to a definition: that definition may refer back.
    var isShort: Bool {
        switch self {
        case .any, .null, .boolean, .number, .integer, .string, .text: true
        case .nullable(let schema), .array(let schema): schema.isShort
        default: false
        }
    }
}
