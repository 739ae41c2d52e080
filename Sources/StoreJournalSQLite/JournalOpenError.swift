/// Why a journal can't be opened, in words for the operator.
public struct JournalOpenError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of obstacle it is.
    public enum Reason: Sendable, Equatable {
        /// The directory can't be used.
        case directory
        /// Another process has it.
        case inUse
        /// What is there was not made by this journal, or by a newer one.
        case foreign
        /// History is damaged or ends too early.
        case damaged
        /// The system or SQLite reports an error.
        case system
    }

    /// What kind of obstacle it is.
    public let reason: Reason
    /// What was attempted and what was found.
    public let message: String
    /// What can be done about it.
    public let hint: String

    init(_ reason: Reason, _ message: String, hint: String) {
        self.reason = reason
        self.message = message
        self.hint = hint
    }

    /// Message and hint.
    public var description: String { "\(message)\n\(hint)" }
}
