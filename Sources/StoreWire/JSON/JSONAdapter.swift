/// How one type that has its own idea of `Codable` is written as a JSON scalar instead.
///
/// Foundation's `Date` and `Data` are such types: their own `Codable` gives a bare number and a
/// list of bytes. Adapters for them are in `WireFoundation`.
public struct JSONAdapter: Sendable {
    /// A scalar as it stands in the document.
    public enum Scalar: Sendable, Equatable {
        /// A string's text.
        case string(String)
        /// A number's literal.
        case number(String)
    }

    let type: ObjectIdentifier
    let expected: String
    let encode: @Sendable (Any) -> Scalar?
    let decode: @Sendable (Scalar) -> Any?

    /// Makes an adapter for a type.
    ///
    /// - Parameters:
    ///   - type: the type itself; subclasses need adapters of their own.
    ///   - expected: what the document must have there, in a word or two, for error messages.
    ///   - encode: gives the scalar, or `nil` for a value that has none.
    ///   - decode: reads the scalar, or gives `nil` where it is no such value.
    public init<T>(
        _ type: T.Type,
        expected: String,
        encode: @escaping @Sendable (T) -> Scalar?,
        decode: @escaping @Sendable (Scalar) -> T?
    ) {
        self.type = ObjectIdentifier(type)
        self.expected = expected
        self.encode = { value in (value as? T).flatMap(encode) }
        self.decode = { scalar in decode(scalar) }
    }
}
