/// The key of a row in a ``Table``: a text on the wire. Keys are compared by the bytes of the text.
///
/// `String` and `ExactText` are keys. A type of your own needs only a text as its raw value:
///
/// ```swift
/// struct CardID: RawRepresentable, TableKey {
///     let rawValue: String
/// }
/// ```
public protocol TableKey: Sendable {
    /// The text of the key.
    var keyText: String { get }

    /// Makes a key from its text; `nil` if the text is no key of this type. For the ``keyText`` of
    /// a key, the initializer has to return the same key.
    init?(keyText: String)
}

extension String: TableKey {
    /// The text itself.
    public var keyText: String { self }

    /// Copies the text.
    public init(keyText: String) { self = keyText }
}

extension ExactText: TableKey {
    /// The text itself.
    public var keyText: String { text }

    /// Makes an exact text from the text.
    public init(keyText: String) { self.init(keyText) }
}

extension TableKey where Self: RawRepresentable<String> {
    /// The raw value.
    public var keyText: String { rawValue }

    /// Makes the key with this raw value.
    public init?(keyText: String) { self.init(rawValue: keyText) }
}
