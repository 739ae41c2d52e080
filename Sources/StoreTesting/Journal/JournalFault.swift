/// A promise that a journal does not keep.
public struct JournalFault: Error, Sendable, CustomStringConvertible {
    /// The promise.
    public let promise: JournalPromise
    /// What was found in its place.
    public let text: String

    /// The promise and what was found.
    public var description: String { "\(promise.rawValue): \(text)" }
}
