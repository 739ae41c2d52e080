public import StoreCore

/// A kind of journal that ``JournalConformance`` looks at: how its journals are made, and what can
/// be done to them from outside.
///
/// What is `nil` is not there for this kind, and the promises about it are passed over.
public struct JournalSubject: Sendable {
    /// Makes a journal with an empty history of its own.
    public let make: @Sendable () throws -> any Journal
    /// Closes a journal and opens its history anew, as the next start of a program does.
    public let reopen: (@Sendable (any Journal) throws -> any Journal)?
    /// One more writer's journal on the same history.
    public let another: (@Sendable (any Journal) throws -> any Journal)?
    /// Makes an empty journal that keeps 100 records at the most, or as few when a snapshot is
    /// saved.
    public let makeSmall: (@Sendable () throws -> any Journal)?
    /// Leaves a journal no room for more than 10,000 records of 1,000 bytes, with `true`; gives the
    /// room back, with `false`.
    public let setFull: (@Sendable (any Journal, Bool) throws -> Void)?
    /// How long a notification is waited for, in seconds.
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
