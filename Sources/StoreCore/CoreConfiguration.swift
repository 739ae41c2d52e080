/// The ports and bounds of a Core.
package struct CoreConfiguration<State: Sendable>: Sendable {
    /// Who does the Core's work.
    package enum Driver: Sendable {
        /// Whoever dispatches while it is idle.
        case caller
        /// A thread of its own, from ``Core/start()`` on.
        case thread
    }

    package var driver = Driver.caller
    /// The most actions that wait.
    package var mailboxMax = 65_536
    /// The most actions in one batch, which is one append to the journal.
    package var batchMax = 1_024
    package var clock: any WallClock = SystemClock()
    /// Tells when idempotency keys were used; ``clock`` does where there is none.
    package var keyClock: (any WallClock)?
    /// Keeps what was applied; `nil` keeps nothing.
    package var journal: (any Journal)?
    package var sink: (any Sink<State>)?
    /// Performs what modules ask for.
    package var effects: EffectRunner?
    /// What the journal keeps of an action that is dispatched in process; without it, only the name of
    /// its type.
    package var member: (@Sendable (any Action) throws -> EnvelopeMember)?
    /// Hears of actions of the program's own that were not applied, on the Core's thread.
    package var unheard: @Sendable (UnheardAction) -> Void = { _ in }
    /// Hears of the state after each commit that changed something, on the Core's thread.
    package var settled: (@Sendable (State, Audience?) -> Void)?
    /// Hears that a batch was forgotten.
    var takenBack: (@Sendable () -> Void)?
    /// Whether there is something to tell of besides changes; asked after each commit.
    var hasNews: (@Sendable () -> Bool)?
    /// Waits for clients to show what is presented to them.
    var routes: RouteWatch?
    /// The `SliceChanges` that listens to ``settled``, for those who observe slices.
    var changes: (any Sendable)?
    /// Hears that records are durable, up to which version, and how many bytes they have.
    package var appended: (@Sendable (UInt64, Int) -> Void)?
    /// Hears of the actions of each commit, in their order, once they are durable.
    package var applied: (@Sendable ([AppliedAction]) -> Void)?
    /// Hears that the outcome of an append is not known: nothing is applied from then on, and only
    /// a new start from the journal can tell.
    package var failed: @Sendable (JournalError) -> Void = { _ in }
    /// Shows which action the Core is working on, for those who watch it.
    package var progress: Progress?
    /// Tells whether an action changed the state; without it every action counts as a change.
    package var changed: (@Sendable (State, State) -> Bool)?

    package init() {}
}

/// A reducer that knows more of its state than the Core does.
package protocol StateMachine<State>: Sendable {
    associatedtype State: Sendable

    /// Reduces an action that makes this version; answers whether the state changed. Leaves it as it
    /// was where it throws.
    ///
    /// - Parameter sessions: those that the action comes from.
    func reduce(
        _ state: inout State,
        _ action: any Action,
        version: UInt64,
        from sessions: [String]
    ) throws -> Bool

    /// What is to be done outside of the Core, after an action that led to `state`.
    func effect(after action: any Action, in state: State) -> PendingEffect?
}

/// A reducer in the form in which it was given.
package enum ReducerForm<State: Sendable>: Sendable {
    case returning(@Sendable (State, any Action) -> State)
    case mutating(@Sendable (inout State, any Action) -> Void)
    case throwing(@Sendable (inout State, any Action) throws -> Void)
    case machine(any StateMachine<State>)
}

/// What runs before each reduce; what it returns runs after the commit.
typealias Middleware<State> = @Sendable (State, StampedAction) -> (@Sendable () -> Void)?
