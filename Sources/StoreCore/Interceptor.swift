/// Stands before the reducer: lets an action through, replaces it, lets others follow it, or blocks
/// it by throwing ``Refusal``.
///
/// Receives the state before the action, and the action. Interceptors run where the Core works, in
/// the order in which they were added. Replay skips them: their decisions are in the journal.
///
/// ```swift
/// core.add(interceptor: { state, stamped in
///     guard state.isOpen else { throw Refusal.forbidden("The shop is closed.") }
///     return .proceed
/// })
/// ```
public typealias Interceptor<State: Sendable> =
    @Sendable (State, StampedAction) throws -> Interception<State>

/// What becomes of an action that was intercepted.
public struct Interception<State: Sendable>: Sendable {
    let replacement: (any Action)?
    let following: [any Action]
    let after: (@Sendable (State) -> Void)?

    private init(
        replacement: (any Action)? = nil,
        following: [any Action] = [],
        after: (@Sendable (State) -> Void)? = nil
    ) {
        self.replacement = replacement
        self.following = following
        self.after = after
    }

    /// It goes on as it is.
    public static var proceed: Interception { Interception() }

    /// It goes on as it is, and `after` is called with the state that it led to, once that is
    /// durable. Of several, that of the last interceptor is called first.
    public static func proceed(
        after: @escaping @Sendable (State) -> Void
    ) -> Interception {
        Interception(after: after)
    }

    /// Another action goes on in its place; the next interceptors see that one.
    public static func replace(with action: any Action) -> Interception {
        Interception(replacement: action)
    }

    /// It goes on, and these follow it at once: all of them are applied, or none.
    public static func follow(with actions: (any Action)...) -> Interception {
        Interception(following: actions)
    }
}
