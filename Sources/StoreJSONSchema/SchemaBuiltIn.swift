import StoreJSON
import StoreTexts

/// A type with a built-in JSON form, such as `Int`. Its schema does not come from a run of its
/// `init(from:)`.
protocol SchemaBuiltIn {
    static func schema(by deriver: JSONSchemaDeriver) -> JSONSchema
    static func dummy(_ number: Int) -> Any?
}

extension Bool: SchemaBuiltIn {
    static func schema(by _: JSONSchemaDeriver) -> JSONSchema { .boolean }
    static func dummy(_ number: Int) -> Any? { number % 2 == 1 }
}

extension String: SchemaBuiltIn {
    static func schema(by _: JSONSchemaDeriver) -> JSONSchema { .string() }
    static func dummy(_ number: Int) -> Any? { SchemaDummies.string(number) }
}

extension ExactText: SchemaBuiltIn {
    static func schema(by _: JSONSchemaDeriver) -> JSONSchema { .string() }
    static func dummy(_ number: Int) -> Any? { ExactText(SchemaDummies.string(number)) }
}

extension Double: SchemaBuiltIn {
    static func schema(by _: JSONSchemaDeriver) -> JSONSchema { .number }
    static func dummy(_ number: Int) -> Any? { SchemaDummies.double(number) }
}

extension Float: SchemaBuiltIn {
    static func schema(by _: JSONSchemaDeriver) -> JSONSchema { .number }
    static func dummy(_ number: Int) -> Any? { Float(SchemaDummies.double(number)) }
}

extension SchemaBuiltIn where Self: FixedWidthInteger {
    static func schema(by _: JSONSchemaDeriver) -> JSONSchema { .integer(Self.self) }
    static func dummy(_ number: Int) -> Any? { Self(clamping: SchemaDummies.integer(number)) }
}

extension Int: SchemaBuiltIn {}
extension Int8: SchemaBuiltIn {}
extension Int16: SchemaBuiltIn {}
extension Int32: SchemaBuiltIn {}
extension Int64: SchemaBuiltIn {}
extension UInt: SchemaBuiltIn {}
extension UInt8: SchemaBuiltIn {}
extension UInt16: SchemaBuiltIn {}
extension UInt32: SchemaBuiltIn {}
extension UInt64: SchemaBuiltIn {}

extension Optional: SchemaBuiltIn where Wrapped: Decodable {
    static func schema(by deriver: JSONSchemaDeriver) -> JSONSchema {
        deriver.schema(of: Wrapped.self).orNull
    }
    static func dummy(_: Int) -> Any? { Wrapped?.none as Any }
}

extension SchemaBuiltIn where Self: Sequence & ExpressibleByArrayLiteral, Element: Decodable {
    static func schema(by deriver: JSONSchemaDeriver) -> JSONSchema {
        .array(of: deriver.schema(of: Element.self))
    }
    static func dummy(_: Int) -> Any? { [] as Self }
}

extension Array: SchemaBuiltIn where Element: Decodable {}
extension ContiguousArray: SchemaBuiltIn where Element: Decodable {}
extension Set: SchemaBuiltIn where Element: Decodable {}

extension Dictionary: SchemaBuiltIn where Key: Decodable, Value: Decodable {
    /// Returns the schema of an object if the keys are texts, `Int` or `CodingKeyRepresentable`.
    /// Otherwise returns the schema of an array with alternating keys and values. `Dictionary`
    /// encodes itself in the same two forms.
    static func schema(by deriver: JSONSchemaDeriver) -> JSONSchema {
        let value = deriver.schema(of: Value.self)
        if Key.self == String.self || Key.self == ExactText.self { return .dictionary(of: value) }
        if Key.self == Int.self { return .dictionary(keys: .integerText, of: value) }
        let key = deriver.schema(of: Key.self)
        guard Key.self is any CodingKeyRepresentable.Type else {
            return .array(of: .union([key, value]))
        }
        if let names = codingKeys() { return .dictionary(keys: .stringEnum(names), of: value) }
        return .dictionary(of: value)
    }

    static func dummy(_: Int) -> Any? { [Key: Value]() }

    private static func codingKeys() -> [String]? {
        EnumCases.all(of: Key.self)?.compactMap {
            ($0 as? any CodingKeyRepresentable)?.codingKey.stringValue
        }
    }
}

/// The dummy values that a type gets from the probe in place of input.
///
/// Almost every type accepts the first value of each kind. The other values are for types that
/// validate their input. Such a type may require a text that is not empty, a number other than 0, a
/// UUID, a date or an address.
enum SchemaDummies {
    static let strings = [
        "", "a", "0", "00000000-0000-0000-0000-000000000000", "2001-01-01T00:00:00Z",
        "https://example.org/", "a@example.org", "1.0",
    ]
    private static let integers = [0, 1, 2, 10, 100, 7, 3, 5]
    private static let doubles = [0, 1, 0.5, 10, 100, 2, 3, 5]

    /// Returns the dummy value with this number for a built-in type; `nil` for any other type.
    /// Every number that is not negative is valid.
    static func value<Value>(of type: Value.Type, _ number: Int) -> Value? {
        guard let built = type as? any SchemaBuiltIn.Type else { return nil }
        return built.dummy(number) as? Value
    }

    static func string(_ number: Int) -> String { strings[number % strings.count] }
    static func integer(_ number: Int) -> Int { integers[number % integers.count] }
    static func double(_ number: Int) -> Double { doubles[number % doubles.count] }
}
