/// What waits for the Core, and whether somebody is at work.
///
/// It does not know the state's type: generic types are looked up at run time for each use, and this
/// is used for each action. The engine alone puts items in, so it knows what the objects are.
struct Mailbox: ~Copyable, Sendable {
    /// One thing to do.
    enum Item: Sendable {
        case action(any Action)
        /// An action and the `EngineContinuation<State>` of its dispatcher, where nothing else has to
        /// be known of it.
        case awaited(any Action, any AnyObject & Sendable)
        /// An `Envelope<State>`.
        case envelope(any AnyObject & Sendable)
        /// An `EngineTask<State>`: someone subscribes or leaves. Never refused.
        case task(any AnyObject & Sendable)
    }

    var items: [Item] = []
    /// How many of the items count against the bound.
    var actions = 0
    /// Somebody works; what comes meanwhile is queued.
    var isDraining = false
    /// The Core's thread waits to be woken.
    var isSleeping = false
    var isClosed = false

    /// Empties it.
    mutating func take() -> [Item] {
        defer {
            items = []
            items.reserveCapacity(64)
            actions = 0
        }
        return items
    }
}

/// A change of the Core's own, in the mailbox's form.
final class EngineTask<State: Sendable>: Sendable {
    let run: @Sendable (Engine<State>) -> Void

    init(_ run: @escaping @Sendable (Engine<State>) -> Void) {
        self.run = run
    }
}

/// An awaited dispatch, in the mailbox's form.
final class EngineContinuation<State: Sendable>: Sendable {
    let continuation: CheckedContinuation<Dispatched<State>, any Error>

    init(_ continuation: CheckedContinuation<Dispatched<State>, any Error>) {
        self.continuation = continuation
    }
}
