package import StorePlatform
package import StoreTraces

/// The ports and bounds of a Core that have nothing to do with the state's type.
package struct EnginePorts: Sendable {
    /// Which thread does the Core's work.
    package enum Driver: Sendable {
        /// The thread that dispatches while the Core is idle.
        case caller
        /// A thread of its own, from ``Core/start()`` on.
        case thread
        /// The threads of a pool, one at a time, from ``Core/start()`` on.
        case pool(ThreadPool)
    }

    /// The default of both bounds on what waits.
    private static let mailboxActionsMax = 65_536

    package var driver = Driver.caller
    /// The most actions of clients that wait.
    package var mailboxMax = Self.mailboxActionsMax
    /// The most actions of the program's own that wait: of effects, presenters, reactions, and what
    /// clients ask of it besides actions.
    package var ownMailboxMax = Self.mailboxActionsMax
    /// The most actions in one batch, which is one append to the journal.
    package var batchMax = 1_024
    package var clock: any WallClock = SystemClock()
    /// The clock for the ages of idempotency keys; ``clock`` where it is `nil`.
    package var keyClock: (any WallClock)?
    /// Keeps what was applied; `nil` keeps nothing.
    package var journal: (any Journal)?
    /// The number of this program in the journal, which its records have.
    package var program: UInt32 = 0
    /// The version of the state that the Core begins with; that of the journal where it is `nil`.
    /// Others may have appended since the state was made.
    package var version: UInt64?
    /// Reads the action of a record that another writer has appended; `nil` where it means nothing
    /// any more. The Core's thread calls it.
    package var action: (@Sendable (Record) throws -> (any Action)?)?
    /// Performs what modules ask for.
    package var effects: EffectRunner?
    /// What the journal keeps of an action that is dispatched in process; without it, only the name
    /// of its type.
    package var member: (@Sendable (any Action) throws -> EnvelopeMember)?
    /// Gets what follows a commit.
    package var follower: (any CommitFollower)?
    /// Decides to which sessions modules are presented.
    var presentation: (any Presentation)?
    /// Sends commands to the screens of sessions; `nil` where there are none.
    package var commands: (@Sendable (ScreenCommand) -> Void)?
    /// Called when the outcome of an append is not known, or when this Core can't go on from what
    /// others have appended. It applies nothing from then on; the next start reads from the journal
    /// which actions were kept.
    package var failed: @Sendable (JournalError) -> Void = { _ in }
    /// Shows which action the Core is working on.
    package var progress: ReducerProgress?
    /// Whether clients may see some of the modules alone: then conditions on versions are judged by
    /// what each sees.
    package var hasSights = false
    /// Receives what is measured; without it nothing is.
    package var figures: CoreFigures?
    /// Records the spans of sampled traces; `nil` where none are exported.
    package var tracing: StoreTracing?

    package init() {}
}
