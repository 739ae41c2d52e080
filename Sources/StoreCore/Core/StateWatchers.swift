import Dispatch
import Synchronization

/// The watchers of a Core's actions and states: middleware, interceptors, reactions and observers,
/// each in the order in which it was added.
final class StateWatchers<State: Sendable>: @unchecked Sendable {
    // Safety: all members belong to the thread that drains the mailbox.

    let counts = WatcherCounts()
    var observers: ContiguousArray<Subscriber<(State) -> Void>> = [] {
        didSet { counts.observers = observers.count }
    }
    var middleware: ContiguousArray<Subscriber<Middleware<State>>> = [] {
        didSet { counts.middleware = middleware.count }
    }
    var interceptors: ContiguousArray<Subscriber<Interceptor<State>>> = [] {
        didSet { counts.interceptors = interceptors.count }
    }
    var reactions: ContiguousArray<Subscriber<ActionReaction<State>>> = [] {
        didSet { counts.reactions = reactions.count }
    }
}

// Before an action is reduced

extension StateWatchers {
    /// Calls middleware. Returns its work for the time after the commit.
    func middleware(
        before envelope: ActionEnvelope,
        _ state: State
    ) -> [@Sendable () -> Void] {
        var released: [@Sendable () -> Void] = []
        for subscriber in middleware where subscriber.isActive {
            if let after = subscriber.handler(state, envelope.action, envelope) {
                released.append(after)
            }
        }
        return released
    }

    /// Calls the interceptors, one after the other. `seal` makes the envelope of the action, or of
    /// the replacement that is passed to it.
    ///
    /// - Throws: the error of the interceptor that refuses the action.
    func intercept(
        _ state: State,
        seal: ((any Action)?) throws -> ActionEnvelope
    ) throws -> Intercepted {
        var intercepted = Intercepted()
        var envelope = try seal(nil)
        for interceptor in interceptors where interceptor.isActive {
            let interception = try interceptor.handler(state, envelope.action, envelope)
            if let replacement = interception.replacement { envelope = try seal(replacement) }
            intercepted.following += interception.following
            if let hook = interception.after {
                intercepted.hooks.append { state in
                    if let state = state as? State { hook(state) }
                }
            }
        }
        return intercepted
    }
}

// After the commit

extension StateWatchers {
    /// Returns the actions with which the reactions answer an applied action.
    func reactions(
        to step: Step,
        from old: State,
        to new: State
    ) -> [(action: any Action, place: String)] {
        var answers: [(action: any Action, place: String)] = []
        for reaction in reactions where reaction.isActive {
            let answer = reaction.handler.react(step.member.action, old, new, step.change.isChange)
            if let answer { answers.append((answer, reaction.handler.place)) }
        }
        return answers
    }

    /// Shows a state to every observer. If a client waits for the consequences of the action, the
    /// watch ends with the last observer.
    func show(_ state: State, _ watch: EffectWatch? = nil) {
        for subscriber in observers where subscriber.isActive {
            deliver(state, to: subscriber, watch)
        }
    }

    /// Adds an observer, and shows it the current state.
    func add(_ observer: Subscriber<(State) -> Void>, _ state: State) {
        guard observer.isActive else { return }
        observers.append(observer)
        deliver(state, to: observer, nil)
    }

    private func deliver(
        _ state: State,
        to subscriber: Subscriber<(State) -> Void>,
        _ watch: EffectWatch?
    ) {
        guard let queue = subscriber.queue else { return subscriber.handler(state) }
        watch?.begin()
        queue.async {
            if subscriber.isActive { subscriber.handler(state) }
            watch?.end()
        }
    }
}

/// An observer, a middleware or another handler that the Core calls until the subscription ends.
final class Subscriber<Handler>: @unchecked Sendable {
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

    /// Ends the subscription. Returns `false` if it had already ended.
    func end() -> Bool {
        active.exchange(false, ordering: .sequentiallyConsistent)
    }
}

/// A function that answers an applied action with another action to dispatch.
package struct ActionReaction<State>: Sendable {
    /// Receives the action, the states before and after it, and `true` if they differ. Returns the
    /// action to dispatch; `nil` for none. The function runs on the thread that does the Core's
    /// work.
    let react: @Sendable (any Action, _ old: State, _ new: State, _ changed: Bool) -> (any Action)?
    /// The place of the reaction in the source. The log shows it as the origin of the dispatched
    /// action.
    let place: String

    package init(
        at place: String,
        _ react: @escaping @Sendable (any Action, State, State, Bool) -> (any Action)?
    ) {
        self.place = place
        self.react = react
    }
}
