/// The reason why a document could not be read, or a value could not be written.
public struct JSONError: Error, Sendable, Equatable {
    /// A kind of failure; more kinds may come.
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
        /// A member that its type requires is missing.
        public static let missing = Code(rawValue: "missing")
        /// A type's own code refused the value.
        public static let invalid = Code(rawValue: "invalid")
        /// The value has no form in JSON, such as an infinite number.
        public static let unencodable = Code(rawValue: "unencodable")
    }

    /// The kind of failure.
    public let code: Code
    /// The place in the document, in bytes from its start; 0 for an error of writing.
    public let offset: Int
    /// The place in the document, as a JSON Pointer (RFC 6901); the root for malformed bytes.
    public let pointer: String
    /// The expected value, in a word or two.
    public let expected: String?
    /// The error in a sentence that clients may read.
    public let message: String
    /// The error that a type's own code threw, for logs only. `nil` for a `DecodingError` or an
    /// `EncodingError`: its description becomes the ``message``.
    public let failure: (any Error)?

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
        self.failure = failure
    }

    /// The message and the error of a type's own code, for operators.
    package var messageForOperators: String { failure.map { "\(message) \($0)" } ?? message }

    /// True if both have the same reason at the same place. Errors that a type's own code threw are
    /// not compared.
    public static func == (a: JSONError, b: JSONError) -> Bool {
        a.code == b.code && a.offset == b.offset && a.pointer == b.pointer
            && a.expected == b.expected && a.message == b.message
    }

    /// True if the bytes are invalid, false if the document does not fit a type.
    public var isSyntax: Bool { code == .malformed || code == .tooLarge || code == .tooDeep }
}
