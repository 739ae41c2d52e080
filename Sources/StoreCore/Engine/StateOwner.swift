/// The half of a Core that has the state: it reduces, and shows states to those who observe them.
///
/// The engine has no type for the state, so that no generic type is looked up at run time for an
/// action; ``TypedStateOwner`` does. The thread that drains the mailbox makes every call.
protocol StateOwner: AnyObject {
    /// How many look at actions and states.
    var counts: WatcherCounts { get }
    /// The state as it is.
    var state: any Sendable { get }
    /// Whether sessions have slices of their own.
    var hasSessions: Bool { get }
    /// How many states are kept for those who look at each.
    var keptCount: Int { get }

    /// Reduces an action and shows the state to the observers, where nothing is appended, encoded
    /// or taken back.
    func applyPlain(_ action: any Action) throws

    /// Reduces an action that comes from this session.
    ///
    /// - Throws: what the reducer throws; the state is as it was then.
    func reduce(
        _ action: any Action,
        version: UInt64,
        from session: String?
    ) throws -> Reduction

    /// Reduces an action of another engine as a replay does; leaves the state as it was where it
    /// throws.
    func replay(
        _ action: any Action,
        version: UInt64,
        from session: String?
    ) throws -> Reduction

    /// Has the state read on behalf of the session whose actions come next.
    func show(to session: String?)

    /// Calls middleware; returns what is to be done after the commit.
    func middleware(before action: StampedAction) -> [@Sendable () -> Void]

    /// Asks the interceptors, one after the other. `stamp` gives the stamp to the action, for
    /// `nil`, or to what stands in its place.
    ///
    /// - Throws: what an interceptor refuses the action with.
    func intercept(stamp: ((any Action)?) throws -> StampedAction) throws -> Intercepted

    /// Remembers the state.
    func save()
    /// Goes back to the state of ``save()``, and drops all kept states but the first so many.
    func restore(keeping kept: Int)
    /// The state has become durable.
    func commit()
    /// Goes back to the last durable state.
    func rollBack()
    /// Drops the kept states: they have been shown.
    func forgetKept()

    /// Gives the sink what an accepted envelope led to: the steps of the batch from `first` on.
    func reduced(
        version: UInt64,
        _ steps: ContiguousArray<Step>,
        from first: Int,
        changed: Bool
    )
    /// Has the sink encode what is about to become durable.
    func prepare(through version: UInt64) throws
    /// Has the sink publish what is durable.
    func committed(through version: UInt64, for audience: Audience?)

    /// Notifies the sink that all completions of a batch were called.
    func completed()

    /// Shows an applied action's change to presenters, and to those who observe slices. The version
    /// is the one that it made; `nil` for an action of another engine, whose presenters are shown
    /// it there.
    func showSlices(_ step: Step, version: UInt64?)
    /// What the reactions make of an applied action.
    func reactions(to step: Step) -> [(action: any Action, place: String)]
    /// Shows the state that an applied action led to, to all who observe.
    func showState(_ step: Step)
}

/// How many of each kind look at a Core's actions and states: read for each action, and so without
/// the state's type. Belongs to the thread that drains the mailbox.
final class WatcherCounts {
    @exclusivity(unchecked) var observers = 0
    @exclusivity(unchecked) var middleware = 0
    @exclusivity(unchecked) var interceptors = 0
    @exclusivity(unchecked) var reactions = 0

    /// Whether actions go to the reducer without being shown to anything first, or compared after.
    var isDirect: Bool { middleware + interceptors + reactions == 0 }
    /// Whether each state is looked at.
    var hasStateWatchers: Bool { observers + reactions > 0 }
}

/// What came of an action that was reduced.
struct Reduction {
    /// What it did to the state.
    let change: Change
    /// What is to be done outside of the Core.
    let effect: PendingEffect?
    /// The place of the state before it among those that are kept, the state behind it following.
    let kept: Int?
}

/// What interceptors make of an action.
struct Intercepted {
    /// What follows it at once.
    var following: [any Action] = []
    /// What is called with the state that all of it led to, once that is durable.
    var hooks: [@Sendable (any Sendable) -> Void] = []
}
