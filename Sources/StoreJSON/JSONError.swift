/// The reason why a document could not be read, or a value could not be written.
public struct JSONError: Error, Sendable, Equatable {
    /// A kind of failure. Later versions of the library may add kinds.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The kind's name.
        public let rawValue: String

        /// Makes a kind from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The bytes are not JSON (RFC 8259), or an object has a key twice.
        public static let malformed = Code(rawValue: "malformed")
        /// The document is larger than the limits allow.
        public static let tooLarge = Code(rawValue: "too-large")
        /// The document nests deeper than the limits allow.
        public static let tooDeep = Code(rawValue: "too-deep")
        /// The value does not fit its type.
        public static let mismatch = Code(rawValue: "mismatch")
        /// An object lacks a member that the type requires.
        public static let missing = Code(rawValue: "missing")
        /// A type's own code refused the value.
        public static let invalid = Code(rawValue: "invalid")
        /// The value, such as an infinite number, has no form in JSON.
        public static let unencodable = Code(rawValue: "unencodable")
    }

    /// The kind of failure.
    public let code: Code
    /// The number of bytes of the document before the error; 0 if a value could not be written.
    public let offset: Int
    /// The JSON Pointer (RFC 6901) to the value with the error. The pointer is empty if the
    /// document could not be parsed.
    public let pointer: String
    /// A short description of a valid value; `nil` if there is none.
    public let expected: String?
    /// A sentence that describes the error. Clients may read this sentence.
    public let message: String
    /// The error that a type's own code threw, for logs only. `nil` for a `DecodingError` or an
    /// `EncodingError`, because the description of that error becomes the ``message``.
    public let underlyingError: (any Error)?

    /// Makes an error.
    public init(
        code: Code,
        offset: Int = 0,
        pointer: String = "",
        expected: String? = nil,
        message: String,
        failure: (any Error)? = nil
    ) {
        self.code = code
        self.offset = offset
        self.pointer = pointer
        self.expected = expected
        self.message = message
        self.underlyingError = failure
    }

    /// The ``message``, followed by the ``underlyingError`` if there is one, for operators.
    package var messageForOperators: String {
        underlyingError.map { "\(message) \($0)" } ?? message
    }

    /// Returns true if all properties except ``underlyingError`` are equal.
    public static func == (a: JSONError, b: JSONError) -> Bool {
        a.code == b.code && a.offset == b.offset && a.pointer == b.pointer
            && a.expected == b.expected && a.message == b.message
    }

    /// True if the document could not be parsed: it is not JSON or exceeds the limits. False if the
    /// document does not fit a type, or a value could not be written.
    public var isParseError: Bool { code == .malformed || code == .tooLarge || code == .tooDeep }
}
