/// The conversion of one type to and from a JSON scalar, instead of the form that its `Codable`
/// has.
///
/// Foundation's `Date` and `Data` need adapters: their own `Codable` writes a bare number and a
/// list of bytes. Adapters for them are in `WireFoundation`.
public struct JSONAdapter: Sendable {
    /// A scalar in the form that it has in the document.
    public enum Scalar: Sendable, Equatable {
        /// The text of a string.
        case string(String)
        /// The literal of a number.
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
    ///   - expected: the expected value in a word or two, for error messages.
    ///   - encode: returns the scalar, or `nil` for a value that has none.
    ///   - decode: returns the value, or `nil` if the scalar is not a value of the type.
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
