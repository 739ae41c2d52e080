/// Why a document could not be read, or a value not be written.
public struct JSONError: Error, Sendable, Equatable {
    /// A kind of failure; more kinds may come.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The kind's name.
        public let rawValue: String

        /// Makes a kind of its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The bytes are no JSON (RFC 8259), an object has a key twice, or a limit is passed.
        public static let malformed = Code(rawValue: "malformed")
        /// The document is larger than the limits allow.
        public static let tooLarge = Code(rawValue: "too-large")
        /// The document nests deeper than the limits allow.
        public static let tooDeep = Code(rawValue: "too-deep")
        /// A value is not what its type takes.
        public static let mismatch = Code(rawValue: "mismatch")
        /// A member that its type needs is not there.
        public static let missing = Code(rawValue: "missing")
        /// A type's own code refused the value.
        public static let invalid = Code(rawValue: "invalid")
        /// A value has no form in JSON, such as an infinite number.
        public static let unencodable = Code(rawValue: "unencodable")
    }

    /// The kind of failure.
    public let code: Code
    /// Where in the document, in bytes from its start; 0 when writing.
    public let offset: Int
    /// Where in the document, as a JSON Pointer (RFC 6901); for malformed bytes the root.
    public let pointer: String
    /// What would have been right, in a word or two.
    public let expected: String?
    /// What was wrong, in a sentence that clients may see.
    public let message: String
    /// What a type's own code threw, unless it was a `DecodingError` or an `EncodingError`: those
    /// are made to be read, and their description is the ``message``. This is for logs alone.
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

    /// The message, with what a type's own code threw: for operators.
    package var messageForOperators: String {
        failure.map { "\(message) \($0)" } ?? message
    }

    /// Whether both have the same reason at the same place. Errors that a type's own code threw are
    /// not compared.
    public static func == (a: JSONError, b: JSONError) -> Bool {
        a.code == b.code && a.offset == b.offset && a.pointer == b.pointer
            && a.expected == b.expected && a.message == b.message
    }

    /// Whether the bytes themselves were at fault, not how they fit a type.
    public var isSyntax: Bool {
        code == .malformed || code == .tooLarge || code == .tooDeep
    }
}
