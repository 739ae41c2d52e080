/// The reason why a journal can't be opened, with texts for the operator.
public struct JournalOpenError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of obstacle.
    public enum Reason: Sendable, Equatable {
        /// The directory can't be used.
        case directory
        /// Another process uses the directory.
        case inUse
        /// The file belongs to another program, or to a newer form of this journal.
        case foreign
        /// History is damaged or ends too early.
        case damaged
        /// The system or SQLite reports an error.
        case system
    }

    /// The kind of obstacle.
    public let reason: Reason
    /// The attempt and its result, as text for the operator.
    public let message: String
    /// The remedy, as text for the operator.
    public let hint: String

    init(_ reason: Reason, _ message: String, hint: String) {
        self.reason = reason
        self.message = message
        self.hint = hint
    }

    /// The message and the hint, each on a line.
    public var description: String { "\(message)\n\(hint)" }
}
