package import StorePlatform
package import StoreTraces

/// The ports and bounds of a Core that do not depend on the state's type.
package struct EnginePorts: Sendable {
    /// The thread that does the Core's work.
    package enum Driver: Sendable {
        /// The thread that dispatches while the Core is idle.
        case caller
        /// A thread of its own, from ``Core/start()`` on.
        case thread
        /// The threads of a pool, one at a time, from ``Core/start()`` on.
        case pool(ThreadPool)
    }

    /// The default of both bounds on waiting actions.
    private static let mailboxActionsMax = 65_536

    package var driver = Driver.caller
    /// The most waiting actions of clients.
    package var mailboxMax = Self.mailboxActionsMax
    /// The most waiting actions of the program itself: actions of effects, presenters and
    /// reactions, and client requests that are no actions.
    package var ownMailboxMax = Self.mailboxActionsMax
    /// The most actions in one batch, which is one append to the journal. A single envelope may
    /// exceed it.
    package var batchMax = 1_024
    package var clock: any WallClock = SystemClock()
    /// The clock for the ages of idempotency keys; `nil` means ``clock``.
    package var keyClock: (any WallClock)?
    /// The store of the applied actions; `nil` stores none.
    package var journal: (any Journal)?
    /// The number of this program in the journal, for its records.
    package var program: UInt32 = 0
    /// The version of the initial state; `nil` means the version of the journal. Other writers may
    /// have appended after the state was made.
    package var version: UInt64?
    /// Reads the action of a record that another writer has appended; returns `nil` if a migration
    /// drops the record. The thread that does the Core's work calls it.
    package var action: (@Sendable (Record) throws -> (any Action)?)?
    /// The runner of the modules' effects.
    package var effects: EffectRunner?
    /// Makes the journal's form of an action that is dispatched in process. Without this closure,
    /// an envelope has only the name of the action's type.
    package var member: (@Sendable (any Action) throws -> EnvelopeMember)?
    /// The receiver of the commits.
    package var follower: (any CommitFollower)?
    /// The presentation, which decides to which sessions modules are presented.
    var presentation: (any Presentation)?
    /// Sends commands to the screens of sessions; `nil` if there are no sessions.
    package var commands: (@Sendable (ScreenCommand) -> Void)?
    /// Called if the outcome of an append is unknown, or if this Core cannot apply the records of
    /// other writers. From then on, the Core applies nothing. The next start reads from the journal
    /// which actions were stored.
    package var failed: @Sendable (JournalError) -> Void = { _ in }
    /// The action that the Core is reducing now.
    package var progress: ReducerProgress?
    /// True if some clients see only some of the modules. The engine then judges version conditions
    /// by the view of each client.
    package var hasSights = false
    /// The receiver of the measurements; `nil` if nothing is measured.
    package var figures: CoreFigures?
    /// The recorder of the spans of sampled traces; `nil` if no traces are exported.
    package var tracing: StoreTracing?

    package init() {}
}
