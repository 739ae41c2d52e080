import StorePlatform
import Synchronization

/// The data that accompany an action on its way to the reducer: its version, its time and its
/// origin. Middleware can also register work for the time after the commit.
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
    /// The time of the stamp, in nanoseconds since 1970.
    public var time: Int64 { stamped.time }
    /// The wire name of the action, such as `StepChangeRequested` or `movieCard/wanted`. In
    /// process, it is the name of the action's Swift type.
    public var type: String { stamped.type }
    /// The session that dispatched the action, or that its cause belongs to. `shared` for a client
    /// without a session, and for the program if no session led to the action.
    public var session: String { stamped.session ?? SessionName.shared }
    /// The principal that dispatched the action; an action that follows another has the same
    /// principal. `nil` for a client without a credential, and for the program itself.
    public var principal: ActionPrincipal? { stamped.principal }
    /// The version of the action that led to this action; `nil` if no action did.
    public var cause: UInt64? { stamped.cause }
    /// The id of the request that dispatched the action, as in the server's problems and log; `nil`
    /// if no request did.
    public var request: String? { stamped.requestID }
    /// The dispatcher of the action: a place in the program, or a client's address and the name
    /// that the client gives itself. `nil` if it is not recorded.
    public var emitter: String? { stamped.origin }
    /// The data that the client sent along, as JSON; `nil` if it sent none.
    public var meta: [UInt8]? { stamped.meta }

    /// Registers `work` to run once after the commit: then the action is durable, and readers can
    /// see its version.
    ///
    /// Registered work runs in the order of the actions. The work of one action runs in the order
    /// of its registration. `work` does not run in these cases:
    ///
    /// - The action, or another action of its array, is refused.
    /// - The batch cannot be made durable.
    /// - The Core takes the batch back and reduces it again. Middleware is then called again, and
    ///   the earlier registrations are dropped.
    ///
    /// `work` runs on the thread that does the Core's work, and delays every later action. Move
    /// slow work to another thread. A dry run calls no middleware.
    ///
    /// - Returns: `false` if the middleware that received this envelope has returned; `work` then
    ///   does not run.
    @discardableResult
    public func afterCommit(_ work: @escaping @Sendable () -> Void) -> Bool {
        hooks.add(work, of: call)
    }
}

/// The work that one middleware registers while the Core calls it.
private final class CommitHooks: Sendable {
    private struct State: Sendable {
        /// The number of calls that have begun.
        var call: UInt64 = 0
        var isOpen = false
        var hooks: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())

    /// Calls `body` with the envelope of an action, and returns the work that it registered; `nil`
    /// if it registered none. Only one thread may call this at a time.
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
    /// Calls `middleware` before each action is reduced: with the current state, the action, and
    /// its envelope, which accepts work for the time after the commit.
    ///
    /// Middleware runs in the order in which it was added. A middleware may read and dispatch, but
    /// it cannot change or stop the action. The Core also calls it for actions that the reducer
    /// then refuses.
    ///
    /// - Returns: the command that removes the middleware. Work that it has already registered for
    ///   an action still runs.
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

/// An action with its place in the order.
public struct StampedAction: Sendable {
    /// The action itself.
    public let action: any Action
    /// The version that the action makes if the reducer does not refuse it.
    public let version: UInt64
    /// The time of the stamp, in nanoseconds since 1970.
    public let time: Int64
    /// The wire name of the action; in process, the name of its Swift type.
    public let type: String
    /// The data that the client sent along, as JSON; `nil` if it sent none.
    public let meta: [UInt8]?
    /// The principal that dispatched the action, or the action that it follows. `nil` for clients
    /// without a credential, and for the program itself.
    public let principal: ActionPrincipal?
    /// The id of the request that dispatched the action; `nil` if no request did.
    public let requestID: String?
    /// The session that led to the action; `nil` if no client with a session did.
    public let session: String?
    /// The version of the action that led to this action; `nil` if no action did.
    public let cause: UInt64?
    /// The dispatcher of the action: a place in the program, or a client's address and the name
    /// that the client gives itself. `nil` if it is not recorded.
    public let origin: String?
}
