/// A type that declares its own JSON Schema.
///
/// Schemas are derived by decoding a type from dummy values. The derivation fails for a type whose
/// `init(from:)` accepts few values, or depends on the values that it reads. Such a type declares
/// its schema:
///
/// ```swift
/// extension Percentage: JSONSchemaProviding {
///     static var jsonSchema: JSONSchema { .integer(minimum: 0, maximum: 100) }
/// }
/// ```
public protocol JSONSchemaProviding {
    /// The form of a value of this type in JSON.
    static var jsonSchema: JSONSchema { get }
}
