/// A reducer for a state of several slices. Each result has the slices that the action wrote.
package protocol ModularReducer<State>: AnyObject, Sendable {
    associatedtype State: Sendable

    /// Returns the route of an action; `nil` if the action belongs to no module and changes no
    /// state.
    func route(of action: any Action) -> ActionRoute?

    /// Returns the module of an action; `nil` if the action belongs to no module.
    func module(of action: any Action) -> ActionModule?

    /// Reduces the action that makes `version`, on behalf of a session. `route` is the action's
    /// route from ``route(of:)``. Sets `effect` to the work outside the Core that follows the
    /// action. A replay and a dry run drop this effect.
    ///
    /// - Throws: the error of the reducer. The state is then unchanged.
    func reduce(
        _ state: inout State,
        _ action: any Action,
        by route: ActionRoute,
        from session: String?,
        _ origin: ReducerContextSource,
        effect: inout AnyEffect?
    ) throws -> Change

    /// Reduces an action that another engine has applied, without checking the access again.
    func replay(
        _ state: inout State,
        _ action: any Action,
        by route: ActionRoute,
        from session: String?,
        _ origin: ReducerContextSource,
        effect: inout AnyEffect?
    ) throws -> Change

    /// True if sessions or users have slices of their own.
    var hasOwnedSlices: Bool { get }

    /// The modules with restricted slices.
    var restrictedModules: RestrictedModules { get }

    /// Makes the state show the slices of a client until the next call of this function.
    func setReader(
        of state: inout State,
        to session: String?,
        as principal: @autoclosure () -> ActionPrincipal?
    )

    /// True if an observer watches a slice that an action with this route may change.
    func hasObservers(_ route: ActionRoute) -> Bool

    /// Calls the observers of slices with an action's change.
    func notifyObservers(
        of change: Change,
        from old: State,
        to new: State,
        _ cause: SliceChangeOrigin
    )
}

/// The module and the handler of a type of actions. The type is a class, so that a look-up of a
/// route, which each action needs, copies only a reference.
package final class ActionRoute: @unchecked Sendable {
    // Safety: all members are constants.

    /// The module's index in ``RootState/modules``. An action that belongs to no module has a
    /// greater index.
    package let moduleIndex: Int

    /// The handler of the actions with this route: an ``ActionHandler`` for the root state. The
    /// machine keeps the handler alive. `nil` for client requests, which have no action type of
    /// their own.
    let handler: UnsafeMutableRawPointer?

    /// True if the actions are of a ``SessionAction`` type.
    let isSessionAction: Bool

    /// True if an action may change every slice. A comparison of the slices then finds the changes.
    let mayChangeAllSlices: Bool

    init(
        moduleIndex: Int,
        handler: UnsafeMutableRawPointer?,
        isSessionAction: Bool,
        mayChangeAllSlices: Bool = false
    ) {
        self.moduleIndex = moduleIndex
        self.handler = handler
        self.isSessionAction = isSessionAction
        self.mayChangeAllSlices = mayChangeAllSlices
    }
}

/// The module of an action.
package struct ActionModule {
    let name: String
    /// True if only the module's views, effects and presenters may dispatch the action.
    let isActionPrivate: Bool
}

/// The action that has changed a slice.
package struct SliceChangeOrigin: Sendable {
    /// The version that the action made. `nil` when the store begins, and for an action that
    /// another engine applied.
    package let version: UInt64?
    /// True if another engine applied the action; only that engine calls presenters.
    var isOfOtherEngine = false
    /// The session that led to the action.
    package fileprivate(set) var session: String?
    /// The principal that sent the action, and the action's trace; `nil` if neither is known.
    var sender: CauseSender?
    /// The observers that get the change; `nil` for all observers.
    package let audience: Audience?
    /// The watch that also waits for the actions of presenters after the change.
    package let watch: EffectWatch?
}

/// The principal that sent an action, and the action's trace. The type is a class: a cause then
/// stores both values as a single reference. The Core copies a cause for each changed slice.
final class CauseSender: Sendable {
    let principal: ActionPrincipal?
    let trace: String?

    private init(principal: ActionPrincipal?, trace: String?) {
        self.principal = principal
        self.trace = trace
    }

    /// Makes a sender; `nil` if neither value is known. The function replaces a failable
    /// initializer, which would allocate memory even for the result `nil`.
    static func make(principal: ActionPrincipal?, trace: String?) -> CauseSender? {
        guard principal != nil || trace != nil else { return nil }
        return CauseSender(principal: principal, trace: trace)
    }
}

extension SliceChangeOrigin {
    /// Makes the cause of the first change, when the store begins.
    static func storeStart(for session: String?) -> SliceChangeOrigin {
        SliceChangeOrigin(version: nil, session: session, audience: nil, watch: nil)
    }

    /// Returns this cause with another session.
    func withSession(_ session: String?) -> SliceChangeOrigin {
        var cause = self
        cause.session = session
        return cause
    }
}
