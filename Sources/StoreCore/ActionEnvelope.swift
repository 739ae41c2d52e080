import StorePlatform
import Synchronization

/// What goes with an action on its way to the reducer: its place in the order, where it comes from,
/// and what is to be done once it is committed.
///
/// ```swift
/// core.add(middleware: { state, action, envelope in
///     guard let shown = action as? ScreenShown else { return }
///     let counter = state.counter
///     envelope.afterCommit { tracker.screenShown(shown.name, counter: counter) }
/// })
/// ```
public struct ActionEnvelope: Sendable {
    private let stamped: StampedAction
    private let hooks: CommitHooks
    private let call: UInt64

    fileprivate init(_ stamped: StampedAction, _ hooks: CommitHooks, _ call: UInt64) {
        self.stamped = stamped
        self.hooks = hooks
        self.call = call
    }

    /// The version that the action makes if it is committed.
    public var version: UInt64 { stamped.version }
    /// When it was stamped, in nanoseconds since 1970.
    public var time: Int64 { stamped.time }
    /// Its wire name, such as `StepChangeRequested` or `movieCard/wanted`; in process, the name of
    /// its type.
    public var type: String { stamped.type }
    /// The session that it comes from; `shared` for a client without one, and for the program
    /// itself where no session is behind what it does.
    public var session: String { stamped.session ?? SessionName.shared }
    /// The principal that it comes from; what follows an action comes from the same one. `nil` for
    /// clients that show no credential, and for the program itself.
    public var principal: ActionPrincipal? { stamped.principal }
    /// The version of the action that led to it; `nil` where none did.
    public var cause: UInt64? { stamped.cause }
    /// The id of the request that dispatched it, as the problems and the log of the server have it;
    /// `nil` where none did.
    public var request: String? { stamped.requestID }
    /// What dispatched it: the place in the program, or the client's address and what it calls
    /// itself; `nil` where that is not kept.
    public var emitter: String? { stamped.origin }
    /// What the client sent along, as JSON; `nil` where it sent nothing.
    public var meta: [UInt8]? { stamped.meta }

    /// Has `work` run once, after the action is committed: it is durable, and is what readers are
    /// shown from then on.
    ///
    /// All such work runs in the order of the actions, and of one action in the order in which it
    /// was registered. It does not run where the action, or another one of its array, is refused,
    /// or where the batch can't be made durable. A batch that the Core takes back and reduces again
    /// is shown to middleware again, and what was registered before is dropped.
    ///
    /// It runs where the Core works, and holds up every action meanwhile: what takes long is handed
    /// over. A dry run shows middleware nothing.
    ///
    /// - Returns: `false` once the middleware that was given this envelope has returned: then
    ///   `work` is not run.
    @discardableResult
    public func afterCommit(_ work: @escaping @Sendable () -> Void) -> Bool {
        hooks.add(work, of: call)
    }
}

/// What one middleware registers while it is called.
private final class CommitHooks: Sendable {
    private struct State: Sendable {
        /// How many calls have begun.
        var call: UInt64 = 0
        var isOpen = false
        var hooks: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())

    /// Calls `body` with the envelope of an action. Returns what is to run after the commit; `nil`
    /// for nothing. One thread at a time.
    func collect(
        _ stamped: StampedAction,
        _ body: (ActionEnvelope) -> Void
    ) -> (@Sendable () -> Void)? {
        let call = state.withLock { state -> UInt64 in
            state.call += 1
            state.isOpen = true
            return state.call
        }
        body(ActionEnvelope(stamped, self, call))
        let hooks = state.withLock { state -> [@Sendable () -> Void] in
            state.isOpen = false
            defer { if !state.hooks.isEmpty { state.hooks = [] } }
            return state.hooks
        }
        guard hooks.count > 1 else { return hooks.first }
        return { for hook in hooks { hook() } }
    }

    func add(_ hook: @escaping @Sendable () -> Void, of call: UInt64) -> Bool {
        state.withLock { state in
            guard state.isOpen, state.call == call else { return false }
            state.hooks.append(hook)
            return true
        }
    }
}

extension Core {
    /// Calls `middleware` before each action is reduced, with the state as it was, the action, and
    /// its envelope, which takes what is to be done after the commit.
    ///
    /// Middleware runs in the order in which it was added. It may look and dispatch; it can't
    /// change or stop the action. It is called for actions that the reducer then refuses, too.
    ///
    /// - Returns: the command that ends it. What it has registered for an action that is under way
    ///   still runs.
    @discardableResult
    public func add(
        middleware: @escaping @Sendable (State, any Action, ActionEnvelope) -> Void
    ) -> PlainCommand {
        let hooks = CommitHooks()
        return add(stampedMiddleware: { state, stamped in
            hooks.collect(stamped) { middleware(state, stamped.action, $0) }
        })
    }
}
