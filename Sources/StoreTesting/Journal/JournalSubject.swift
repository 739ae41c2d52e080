public import StoreCore

/// A kind of journal for ``JournalConformance``, with functions that make its journals and change
/// their surroundings.
///
/// If a function is `nil`, this kind of journal does not support it, and the promises that need it
/// are not checked.
public struct JournalSubject: Sendable {
    /// Makes a journal with an empty history of its own.
    public let make: @Sendable () throws -> any Journal
    /// Closes a journal and opens its history anew, as the next start of a program does.
    public let reopen: (@Sendable (any Journal) throws -> any Journal)?
    /// Makes a journal of one more writer on the same history.
    public let another: (@Sendable (any Journal) throws -> any Journal)?
    /// Makes an empty journal that keeps at most 100 records, or cuts its records to 100 when a
    /// snapshot is saved.
    public let makeSmall: (@Sendable () throws -> any Journal)?
    /// With `true`, leaves a journal no room for more than 10,000 records of 1,000 bytes; with
    /// `false`, gives the room back.
    public let setFull: (@Sendable (any Journal, Bool) throws -> Void)?
    /// The longest wait for a notification, in seconds.
    public let notificationSecondsMax: Double

    /// Makes a subject.
    public init(
        make: @escaping @Sendable () throws -> any Journal,
        reopen: (@Sendable (any Journal) throws -> any Journal)? = nil,
        another: (@Sendable (any Journal) throws -> any Journal)? = nil,
        makeSmall: (@Sendable () throws -> any Journal)? = nil,
        setFull: (@Sendable (any Journal, Bool) throws -> Void)? = nil,
        notificationSecondsMax: Double = 10
    ) {
        self.make = make
        self.reopen = reopen
        self.another = another
        self.makeSmall = makeSmall
        self.setFull = setFull
        self.notificationSecondsMax = notificationSecondsMax
    }
}
