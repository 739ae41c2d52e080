/// A promise that a journal does not keep.
public struct JournalFault: Error, Sendable, CustomStringConvertible {
    /// The promise that the journal breaks.
    public let promise: JournalPromise
    /// The description of the fault.
    public let text: String

    /// The promise and the description of the fault.
    public var description: String { "\(promise.rawValue): \(text)" }
}
