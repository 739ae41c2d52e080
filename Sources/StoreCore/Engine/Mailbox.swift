import Dispatch
import Synchronization

/// What waits for the Core, and whether somebody is at work.
struct Mailbox<State: Sendable>: ~Copyable {
    /// One thing to do.
    enum Item: Sendable {
        case action(any Action)
        /// An action whose dispatcher waits, where nothing else has to be known of it.
        case awaited(any Action, CheckedContinuation<Dispatched<State>, any Error>)
        case envelope(Envelope<State>)
        /// A change of the Core's own: someone subscribes or leaves. Never refused.
        case task(@Sendable (Engine<State>) -> Void)
    }

    var items: [Item] = []
    /// How many of the items count against the bound.
    var actions = 0
    /// Somebody works; what comes meanwhile is queued.
    var isDraining = false
    /// The Core's thread waits to be woken.
    var isSleeping = false
    var isClosed = false
}
