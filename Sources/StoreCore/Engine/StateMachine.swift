/// A reducer of a state of several slices: it returns which slices an action has written.
package protocol StateMachine<State>: AnyObject, Sendable {
    associatedtype State: Sendable

    /// Where an action goes; `nil` where it belongs to nothing, and changes nothing.
    func route(of action: any Action) -> ActionRoute?

    /// The name of the module that an action is for; `nil` where it belongs to none.
    func module(of action: any Action) -> String?

    /// The name of the module whose own action it is, which its views, effects and presenters
    /// dispatch; `nil` for an action that all may dispatch.
    func inside(of action: any Action) -> String?

    /// Reduces an action that makes this version, by the route of ``route(of:)``, from this
    /// session. What it has done is returned, and noted nowhere else; `effect` becomes what is to
    /// be done about it outside of the Core, which a replay and a dry run drop.
    ///
    /// - Throws: what the reducer throws; the state is as it was then.
    func reduce(
        _ state: inout State,
        _ action: any Action,
        by route: ActionRoute,
        version: UInt64,
        from session: String?,
        effect: inout PendingEffect?
    ) throws -> Change

    /// Reduces an action that was applied by another engine, and so is not judged again.
    func replay(
        _ state: inout State,
        _ action: any Action,
        by route: ActionRoute,
        version: UInt64,
        from session: String?,
        effect: inout PendingEffect?
    ) throws -> Change

    /// Whether sessions have slices of their own.
    var hasSessions: Bool { get }

    /// Has the state read on behalf of a session.
    func show(_ state: inout State, to session: String?)

    /// Whether the slices that an action may change have observers.
    func isWatched(_ route: ActionRoute) -> Bool

    /// Shows an action's change to those who observe slices.
    func show(_ change: Change, from old: State, to new: State, _ cause: SliceCause)
}

/// Where the actions of a type go. An object, because it is looked up for each action.
package final class ActionRoute: @unchecked Sendable {
    // Safety: it has constants only.

    /// The module's place in ``RootState/modules``; behind them, actions of no module have places.
    package let module: Int

    /// What is done with such actions, an ``ActionHandler`` of the machine's root, which keeps it;
    /// `nil` for requests, which are no actions of a type of their own.
    let handler: UnsafeMutableRawPointer?

    /// Whether it is a ``SessionAction``.
    let isForSessions: Bool

    /// Whether it may change every slice, so that a comparison finds what it did.
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

/// Which action has changed a slice.
package struct SliceCause: Sendable {
    /// The version that it made; `nil` when the store begins, and for an action of another engine.
    package let version: UInt64?
    /// Whether another engine applied it, which shows it to its presenters.
    var isElsewhere = false
    /// The session that it came from.
    package let session: String?
    /// Who sent it, and the trace that it is a part of; `nil` where neither is known.
    var sender: CauseSender?
    /// Which observers get it; `nil` for all.
    package let audience: Audience?
    /// Ends with all that presenters make of it.
    package let watch: EffectWatch?
}

/// Who sent an action, and the trace that it is a part of. An object, because a cause is copied for
/// each slice that changed, and most actions have neither.
final class CauseSender: Sendable {
    let principal: ActionPrincipal?
    let trace: String?

    private init(principal: ActionPrincipal?, trace: String?) {
        self.principal = principal
        self.trace = trace
    }

    /// `nil` where neither is known. An initializer that fails would have taken memory before.
    static func known(principal: ActionPrincipal?, trace: String?) -> CauseSender? {
        guard principal != nil || trace != nil else { return nil }
        return CauseSender(principal: principal, trace: trace)
    }
}

extension SliceCause {
    /// No action: the store begins.
    static func start(for session: String?) -> SliceCause {
        SliceCause(version: nil, session: session, audience: nil, watch: nil)
    }

    /// The same, for another session.
    func `for`(_ session: String?) -> SliceCause {
        SliceCause(
            version: version,
            isElsewhere: isElsewhere,
            session: session,
            sender: sender,
            audience: audience,
            watch: watch
        )
    }
}
