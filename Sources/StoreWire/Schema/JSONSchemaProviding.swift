/// A type that declares its own JSON Schema.
///
/// Schemas are derived by letting a type decode from dummy values. That fails for a type whose
/// `init(from:)` accepts few values, or decides by what it finds. Such a type states its schema:
///
/// ```swift
/// extension Percentage: JSONSchemaProviding {
///     static var jsonSchema: JSONSchema { .integer(minimum: 0, maximum: 100) }
/// }
/// ```
public protocol JSONSchemaProviding {
    /// What a value of this type may be in JSON.
    static var jsonSchema: JSONSchema { get }
}
