/// What a JSON value may be, in the words of JSON Schema 2020-12.
///
/// Only what Swift types need is here. It is a value, so that schemas are compared and composed
/// before they are written.
public indirect enum JSONSchema: Sendable, Equatable {
    /// Any value at all.
    case any
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean
    /// Any number.
    case number
    /// A whole number between two bounds, both allowed.
    case integer(minimum: Int64, maximum: UInt64)
    /// Text, of a `format` of JSON Schema (`date-time`, `uuid`, `uri`), or of any.
    case string(format: String? = nil)
    /// Text in which a regular expression (ECMA-262) finds something.
    case text(pattern: String)
    /// One of these texts.
    case strings([String])
    /// One of these whole numbers.
    case integers([Int64])
    /// Elements that all have one form.
    case array(of: JSONSchema)
    /// Elements that all have one form, and as many of them as `count` allows.
    case boundedArray(of: JSONSchema, count: ClosedRange<Int>)
    /// Elements that each have a form of their own, in this order; more may follow.
    case tuple([JSONSchema])
    /// Members with known names, in the order in which they are written; others are ignored.
    case object([Property])
    /// Members with any names that `keys` allows, whose values all have one form.
    case dictionary(keys: JSONSchema = .string(), of: JSONSchema)
    /// Exactly one of these.
    case oneOf([JSONSchema])
    /// At least one of these.
    case anyOf([JSONSchema])
    /// This, or `null`.
    case nullable(JSONSchema)
    /// What the document defines under this name.
    case reference(String)

    /// A member of an object.
    public struct Property: Sendable, Equatable {
        /// The member's name on the wire.
        public let name: String
        /// What its value may be.
        public let schema: JSONSchema
        /// Whether a value without this member is refused.
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
    /// Text that a whole number is written as, such as a key.
    static let integerText = JSONSchema.text(pattern: "^-?[0-9]+$")

    /// A whole number that an integer type of Swift holds.
    static func integer<Value: FixedWidthInteger>(_: Value.Type) -> JSONSchema {
        .integer(
            minimum: Int64(clamping: Value.min),
            maximum: UInt64(clamping: Value.max)
        )
    }

    /// Any of several, without repeating one, and itself where it is only one.
    static func union(_ schemas: [JSONSchema]) -> JSONSchema {
        var distinct: [JSONSchema] = []
        for schema in schemas where !distinct.contains(schema) { distinct.append(schema) }
        guard let first = distinct.first else { return .any }
        return distinct.count == 1 ? first : .anyOf(distinct)
    }

    /// This or `null`, said once.
    var orNull: JSONSchema {
        switch self {
        case .any, .null, .nullable: self
        default: .nullable(self)
        }
    }

    /// The same schema with each direct part replaced.
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

    /// Whether it is written in a few words, so that a definition of its own would only hide it.
    ///
    /// What refers to a definition never is: that one may refer back.
    var isShort: Bool {
        switch self {
        case .any, .null, .boolean, .number, .integer, .string, .text: true
        case .nullable(let schema), .array(let schema): schema.isShort
        default: false
        }
    }
}
