/// A function that runs before the reducer. An interceptor lets an action pass, replaces it, adds
/// actions behind it, or refuses it by throwing ``Refusal``.
///
/// An interceptor receives the current state, the action and its envelope. Interceptors run on the
/// thread that does the Core's work, in the order in which they were added. A replay skips
/// interceptors: the journal has the results of their decisions.
///
/// ```swift
/// core.add(interceptor: { state, _, _ in
///     guard state.isOpen else { throw Refusal.forbidden("The shop is closed.") }
///     return .proceed
/// })
/// ```
public typealias Interceptor<State: Sendable> =
    @Sendable (_ old: State, _ action: any Action, _ envelope: ActionEnvelope) throws ->
    Interception<State>

/// The decision of an interceptor about an action.
public struct Interception<State: Sendable>: Sendable {
    var replacement: (any Action)?
    var followingActions: [any Action] = []
    var onCommit: (@Sendable (State) -> Void)?

    /// The decision that lets the action pass unchanged.
    public static var proceed: Interception { Interception() }

    /// Lets the action pass unchanged. After the commit, calls `afterCommit` with the state that
    /// the action led to. If several interceptors return a closure, the Core calls the closure of
    /// the last interceptor first.
    public static func proceed(afterCommit: @escaping @Sendable (State) -> Void) -> Interception {
        Interception(onCommit: afterCommit)
    }

    /// Replaces the action. The next interceptors receive the replacement.
    public static func replace(with action: any Action) -> Interception {
        Interception(replacement: action)
    }

    /// Lets the action pass, and adds `actions` directly behind it. The Core applies all of these
    /// actions, or none of them.
    public static func follow(with actions: (any Action)...) -> Interception {
        Interception(followingActions: actions)
    }
}
