import Dispatch
import Synchronization

// The watchers: middleware, interceptors, reactions and observers.

extension TypedStateOwner {
    func callMiddleware(before envelope: ActionEnvelope) -> [@Sendable () -> Void] {
        var released: [@Sendable () -> Void] = []
        for subscriber in middleware where subscriber.isActive {
            if let after = subscriber.handler(current, envelope.action, envelope) {
                released.append(after)
            }
        }
        return released
    }

    func intercept(makeEnvelope: ((any Action)?) throws -> ActionEnvelope) throws
        -> InterceptorsResult
    {
        var intercepted = InterceptorsResult()
        var envelope = try makeEnvelope(nil)
        for interceptor in interceptors where interceptor.isActive {
            let interception = try interceptor.handler(current, envelope.action, envelope)
            if let replacement = interception.replacement {
                envelope = try makeEnvelope(replacement)
            }
            intercepted.following += interception.followingActions
            if let hook = interception.onCommit {
                intercepted.afterCommit.append { state in
                    if let state = state as? State { hook(state) }
                }
            }
        }
        return intercepted
    }

    func reactionActions(to step: Step) -> [(action: any Action, sourceLocation: String)] {
        guard let place = step.keptStateIndex else { return [] }
        let (action, old, new) = (
            step.reducedAction.action, keptStates[place], keptStates[place + 1]
        )
        var answers: [(action: any Action, sourceLocation: String)] = []
        for reaction in reactions where reaction.isActive {
            let answer = reaction.handler.react(action, old, new, step.change.changesState)
            if let answer { answers.append((answer, reaction.handler.sourceLocation)) }
        }
        return answers
    }

    func notifyObservers(of step: Step) {
        guard watcherCounts.observers > 0, let place = step.keptStateIndex else { return }
        callObservers(with: keptStates[place + 1], step.envelope.watch)
    }

    /// Calls every observer with a state. If a client waits for the consequences of the action,
    /// `watch` also waits for the observers that have a queue.
    func callObservers(with state: State, _ watch: EffectWatch? = nil) {
        for observer in observers where observer.isActive { call(state, with: observer, watch) }
    }

    func call(
        _ state: State,
        with observer: Subscription<(State) -> Void>,
        _ watch: EffectWatch? = nil
    ) {
        guard let queue = observer.queue else { return observer.handler(state) }
        watch?.begin()
        queue.async {
            if observer.isActive { observer.handler(state) }
            watch?.end()
        }
    }
}

/// An observer, a middleware or another handler that the Core calls until the subscription ends.
final class Subscription<Handler>: @unchecked Sendable {
    // Safety: the handler is a `@Sendable` closure in every use; the type cannot express that.
    let handler: Handler
    let queue: DispatchQueue?
    private let active = Atomic(true)

    init(handler: Handler, queue: DispatchQueue?) {
        self.handler = handler
        self.queue = queue
    }

    /// True if the Core may still call the handler.
    @inline(__always)
    var isActive: Bool { active.load(ordering: .relaxed) }

    /// Ends the subscription. Returns `false` if the subscription had already ended.
    func end() -> Bool { active.exchange(false, ordering: .sequentiallyConsistent) }
}

/// A function that is called with each applied action, and may return an action to dispatch.
package struct ActionReaction<State>: Sendable {
    /// Receives the action, the states before and after the action, and `true` if the states
    /// differ. Returns the action to dispatch; `nil` for none. The function runs on the thread that
    /// does the Core's work.
    let react: @Sendable (any Action, _ old: State, _ new: State, _ changed: Bool) -> (any Action)?
    /// The place of the reaction in the program's source: a file and a line. The log shows this
    /// place as the origin of the dispatched action.
    let sourceLocation: String

    package init(
        at place: String,
        _ react: @escaping @Sendable (any Action, State, State, Bool) -> (any Action)?
    ) {
        self.sourceLocation = place
        self.react = react
    }
}
