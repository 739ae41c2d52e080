/// The half of a Core that holds the state. A state owner reduces actions, and shows the states to
/// observers.
///
/// The engine does not have the type of the state; only ``TypedStateOwner`` has this type.
/// Therefore no action needs a lookup of a generic type at run time. The thread that drains the
/// mailbox makes every call except calls of ``module(of:)``.
protocol StateOwner: AnyObject {
    /// The numbers of watchers of actions and states.
    var watcherCounts: WatcherCounts { get }
    var state: any Sendable { get }
    /// Returns the current state with the slices of a client's session and user.
    func state(of session: String?, as principal: ActionPrincipal?) -> any Sendable
    /// Returns the module of an action; `nil` if the action belongs to no module. Any thread may
    /// call this function.
    func module(of action: any Action) -> ActionModule?
    /// True if sessions or users have slices of their own.
    var hasOwnedSlices: Bool { get }
    /// The modules with restricted slices.
    var restrictedModules: RestrictedModules { get }
    /// The number of kept states. The owner keeps states for watchers that need each state.
    var keptStateCount: Int { get }

    /// Reduces an action and calls the observers with the state. A Core uses this function only if
    /// the Core does not append records, encode states or restore states.
    func changeStateOnShortPath(_ action: any Action) throws

    /// Reduces an action on behalf of a session. If `isReplay` is true, another engine has applied
    /// the action already, so the access to slices is not checked again.
    ///
    /// - Throws: the error of the reducer. The state is then unchanged.
    func changeState(
        _ action: any Action,
        from session: String?,
        _ origin: ReducerContextSource,
        isReplay: Bool
    ) throws -> Reduction

    /// Makes the state show the slices of the client that sent `envelope`.
    func showSlices(forSenderOf envelope: Envelope)

    /// Calls middleware. Returns the closures to call after the commit.
    func callMiddleware(before envelope: ActionEnvelope) -> [@Sendable () -> Void]

    /// Calls the interceptors, one after the other. `makeEnvelope` makes the envelope of the
    /// replacement in its argument. For `nil`, `makeEnvelope` makes the envelope of the action
    /// itself.
    ///
    /// - Throws: the error of the interceptor that refuses the action.
    func intercept(makeEnvelope: ((any Action)?) throws -> ActionEnvelope) throws
        -> InterceptorsResult

    func setSavepoint()
    /// Restores the state that ``setSavepoint()`` saved. Drops all kept states except the first
    /// `kept` states.
    func restoreSavepoint(keptStateCount kept: Int)
    /// Marks the state as durable. ``rollBack()`` restores the last durable state.
    func markDurable()
    func rollBack()
    /// Drops the kept states after the watchers have received them.
    func dropKeptStates()

    /// Reports the result of an accepted envelope. The collections of edited modules get the
    /// batch's steps from `first` on, and the sink gets the state.
    func reportReduced(
        version: UInt64,
        _ steps: ContiguousArray<Step>,
        from first: Int,
        changed: Bool
    )
    /// Makes the sink encode the state that is about to become durable.
    func prepare(through version: UInt64) throws
    /// Makes the sink publish the durable state.
    func publish(through version: UInt64, for audience: Audience?)

    /// Notifies the sink that all completions of a batch were called.
    func wakeStreams()

    /// Calls presenters and observers of slices with an applied action's change. `version` is the
    /// version that the action made. `nil` stands for an action of another engine, which calls the
    /// presenters itself.
    func notifySliceObservers(of step: Step, version: UInt64?)
    /// Returns the actions to dispatch that the reactions return for an applied action.
    func reactionActions(to step: Step) -> [(action: any Action, sourceLocation: String)]
    /// Calls all observers with the state that an applied action led to.
    func notifyObservers(of step: Step)
}

/// The numbers of watchers of a Core's actions and states. The engine reads these numbers for each
/// action, without the type of the state. Only the thread that drains the mailbox uses the object.
final class WatcherCounts {
    @exclusivity(unchecked) var observers = 0
    @exclusivity(unchecked) var middleware = 0
    @exclusivity(unchecked) var interceptors = 0
    @exclusivity(unchecked) var reactions = 0

    /// True if actions go directly to the reducer: no watcher gets an action before its reduction,
    /// or compares states after the reduction.
    var hasNoActionWatchers: Bool { middleware + interceptors + reactions == 0 }
    /// True if a watcher needs each state.
    var hasStateWatchers: Bool { observers + reactions > 0 }
}

/// The result of reducing an action.
struct Reduction {
    /// The change of the state.
    let change: Change
    /// The effect that follows the action: work outside the Core; `nil` if there is none.
    let effect: AnyEffect?
    /// The index of the state before the action, among the kept states. The state after the action
    /// has the next index. `nil` if the states are not kept.
    let keptStateIndex: Int?
}

/// The result of the interceptors for an action.
struct InterceptorsResult {
    /// The actions that directly follow the action.
    var following: [any Action] = []
    /// The closures to call after the commit, with the state after the last of the actions.
    var afterCommit: [@Sendable (any Sendable) -> Void] = []
}
