/// The data that accompany an action on its way to the reducer: its version, its time and its
/// origin. Interceptors and middleware receive the envelope beside the action.
///
/// ```swift
/// core.add(middleware: { state, action, envelope in
///     guard let shown = action as? ScreenShown else { return nil }
///     return { print("\(envelope.version): \(envelope.session) has seen \(shown.name)") }
/// })
/// ```
public struct ActionEnvelope: Sendable {
    /// The action itself, as the reducer gets it.
    package let action: any Action
    /// The version that the action makes if it is committed.
    public let version: UInt64
    /// The time at which the Core took the action, in nanoseconds since 1970.
    public let time: Int64
    /// The wire name of the action, such as `StepChangeRequested` or `movieCard/wanted`. Without a
    /// server, this is the name of the action's Swift type.
    public let type: String
    /// The `meta` that the client sent with the action, as JSON; `nil` if the client sent none.
    public let meta: [UInt8]?
    /// The principal that dispatched the action. An action that follows another action has the same
    /// principal. `nil` for a client without a credential, and for the program if no principal led
    /// to the action.
    public let principal: ActionPrincipal?
    /// The session that dispatched the action, or the session of the action that led to it.
    /// `shared` for a client without a session, and for the program if no session led to the
    /// action.
    public let session: String
    /// The id of the instance that the action is for; `nil` if the action names none.
    public var instance: String? { (action as? AddressedAction)?.instance }
    /// The context that the reducer gets with the action.
    public var context: ReducerContext {
        ReducerContext(
            as: principal,
            session: session,
            instance: instance,
            version: version,
            time: time,
            cause: cause
        )
    }
    /// The id of the request that dispatched the action, as in the server's problems and log; `nil`
    /// if no request did.
    public let requestID: String?
    /// The version of the action that led to this action; `nil` if no action did.
    public let cause: UInt64?
    /// The dispatcher of the action: a line of the program's source, or a client's address with the
    /// name that the client gives itself. `nil` if the origin is not recorded.
    public let origin: String?
}

/// A function that the Core calls before it reduces an action. The function receives the state
/// before the action. Middleware reports actions: it can neither change nor stop them.
///
/// The Core also calls middleware for actions that the reducer then refuses. Work outside the Core
/// therefore belongs in the closure that the middleware returns. A middleware without such work
/// returns `nil`.
///
/// The Core runs the returned closure once, after the commit. At that time the action is durable,
/// and readers can see its version. The closures run in the order of the actions, and for one
/// action in the order of the middleware. A closure does not run in these cases:
///
/// - The action, or another action of its array, is refused.
/// - The batch cannot be made durable.
/// - The Core rolls the batch back and reduces its actions again. Middleware is then called again.
///
/// Middleware and its closures run on the thread that does the Core's work, and delay every later
/// action. Move slow work to another thread. Replays and dry runs call no middleware.
///
/// ```swift
/// core.add(middleware: { state, action, envelope in
///     guard let shown = action as? ScreenShown else { return nil }
///     let counter = state.counter
///     return { tracker.screenShown(shown.name, counter: counter) }
/// })
/// ```
public typealias Middleware<State: Sendable> =
    @Sendable (_ old: State, _ action: any Action, _ envelope: ActionEnvelope) -> (
        @Sendable () -> Void
    )?
