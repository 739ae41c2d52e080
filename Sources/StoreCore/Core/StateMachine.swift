/// A reducer for a state of several slices. Each result names the slices that the action wrote.
package protocol StateMachine<State>: AnyObject, Sendable {
    associatedtype State: Sendable

    /// Returns the route of an action; `nil` if the action belongs to no module and changes
    /// nothing.
    func route(of action: any Action) -> ActionRoute?

    /// Returns the module of an action; `nil` if it belongs to no module.
    func module(of action: any Action) -> ActionModule?

    /// Reduces an action that makes `version`, by its route from ``route(of:)``, on behalf of a
    /// session. The result is returned, and stored nowhere else. `effect` becomes the work outside
    /// the Core that follows; a replay and a dry run drop it.
    ///
    /// - Throws: the error of the reducer. The state is then unchanged.
    func edit(
        _ state: inout State,
        _ action: any Action,
        by route: ActionRoute,
        version: UInt64,
        from session: String?,
        effect: inout PendingEffect?
    ) throws -> Change

    /// Reduces an action that another engine has applied. Access is not checked again.
    func replay(
        _ state: inout State,
        _ action: any Action,
        by route: ActionRoute,
        version: UInt64,
        from session: String?,
        effect: inout PendingEffect?
    ) throws -> Change

    /// True if sessions have slices of their own.
    var hasSessions: Bool { get }

    /// Switches the state to the slices of a session, for the next reads.
    func show(_ state: inout State, to session: String?)

    /// True if an observer watches a slice that an action with this route may change.
    func isWatched(_ route: ActionRoute) -> Bool

    /// Shows an action's change to the observers of slices.
    func show(_ change: Change, from old: State, to new: State, _ cause: SliceCause)
}

/// The route of a type of actions. An object, because the Core looks it up for each action.
package final class ActionRoute: @unchecked Sendable {
    // Safety: all members are constants.

    /// The module's index in ``RootState/modules``. Greater indices stand for actions of no module.
    package let module: Int

    /// The handler of the actions with this route: an ``ActionHandler`` that the machine's root
    /// owns. `nil` for client requests, which have no action type of their own.
    let handler: UnsafeMutableRawPointer?

    /// True if the action is a ``SessionAction``.
    let isForSessions: Bool

    /// True if the action may change every slice, so that a comparison finds the changes.
    let isWhole: Bool

    init(
        module: Int,
        handler: UnsafeMutableRawPointer?,
        isForSessions: Bool,
        isWhole: Bool = false
    ) {
        self.module = module
        self.handler = handler
        self.isForSessions = isForSessions
        self.isWhole = isWhole
    }
}

/// The module of an action.
package struct ActionModule {
    let name: String
    /// True if only the module's views, effects and presenters may dispatch the action.
    let isPrivate: Bool
}

/// The action that has changed a slice.
package struct SliceCause: Sendable {
    /// The version that the action made; `nil` when the store begins, and for an action of another
    /// engine.
    package let version: UInt64?
    /// True if another engine applied the action; only that engine calls presenters.
    var isElsewhere = false
    /// The session that led to the action.
    package fileprivate(set) var session: String?
    /// The sender of the action and its trace; `nil` if neither is known.
    var sender: CauseSender?
    /// The observers that get the change; `nil` for all observers.
    package let audience: Audience?
    /// The watch that also waits for the actions that presenters derive from the change.
    package let watch: EffectWatch?
}

/// The sender of an action and its trace. An object, because a cause is copied for each changed
/// slice, and most actions have neither.
final class CauseSender: Sendable {
    let principal: ActionPrincipal?
    let trace: String?

    private init(principal: ActionPrincipal?, trace: String?) {
        self.principal = principal
        self.trace = trace
    }

    /// Makes a sender; `nil` if neither value is known. A failable initializer would allocate
    /// memory first.
    static func known(principal: ActionPrincipal?, trace: String?) -> CauseSender? {
        guard principal != nil || trace != nil else { return nil }
        return CauseSender(principal: principal, trace: trace)
    }
}

extension SliceCause {
    /// Makes the cause of the first change, when the store begins.
    static func start(for session: String?) -> SliceCause {
        SliceCause(version: nil, session: session, audience: nil, watch: nil)
    }

    /// Returns the same cause for another session.
    func `for`(_ session: String?) -> SliceCause {
        var cause = self
        cause.session = session
        return cause
    }
}
