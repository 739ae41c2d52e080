/// What waits for the Core, and whether a thread is at work.
struct Mailbox: ~Copyable, Sendable {
    /// One thing to do.
    enum Item: Sendable {
        /// An action without an envelope.
        case action(any Action)
        case envelope(Envelope)
        /// A change of the Core's own: an observer joins or leaves. Never refused.
        case task(EngineTask)
    }

    /// Which bound an item counts against.
    enum Lane: Sendable {
        case clients
        /// What the program itself dispatches.
        case own
        /// None.
        case tasks
    }

    /// What the thread that brought an item has to do next.
    enum Admission: Sendable {
        /// Work, for no other thread does.
        case drain
        case queued
        /// Wake the Core's thread.
        case wake
        case full
        case closed
    }

    private(set) var items: ContiguousArray<Item> = []
    /// How many actions of each kind wait.
    private(set) var clients = 0
    private(set) var own = 0
    /// How many idempotency keys the items have.
    private var keys = 0
    /// A thread works; what comes meanwhile is queued.
    var isDraining = false
    /// The Core's thread waits to be woken; on a pool, no turn runs or waits.
    var isSleeping = false
    var isClosed = false
    /// Whether others than the callers do the work.
    let isThreaded: Bool
    let clientsMax: Int
    let ownMax: Int

    init(isThreaded: Bool, clientsMax: Int, ownMax: Int) {
        self.isThreaded = isThreaded
        self.clientsMax = clientsMax
        self.ownMax = ownMax
    }

    /// Takes an item of so many actions and idempotency keys, or returns the reason why not. Where
    /// the item `wakes` the Core's thread, it returns ``Admission/wake`` if that sleeps.
    mutating func admit(
        _ item: @autoclosure () -> Item,
        _ lane: Lane,
        count: Int,
        keys: Int,
        wakes: Bool
    ) -> Admission {
        if isClosed, lane != .tasks || isThreaded { return .closed }
        // An array that is larger than the bound itself is taken by an empty mailbox.
        switch lane {
        case .clients where clients + count > clientsMax && clients > 0: return .full
        case .own where own + count > ownMax && own > 0: return .full
        default: break
        }
        if !isDraining, !isThreaded {
            isDraining = true
            return .drain
        }
        switch lane {
        case .clients: clients += count
        case .own: own += count
        case .tasks: break
        }
        self.keys += keys
        items.append(item())
        guard wakes, isSleeping else { return .queued }
        isSleeping = false
        return .wake
    }

    /// Empties it, and takes over memory to go on with. Returns how many idempotency keys it had.
    mutating func take(into taken: inout ContiguousArray<Item>) -> Int {
        swap(&items, &taken)
        clients = 0
        own = 0
        defer { keys = 0 }
        return keys
    }
}

/// A change of the Core's own, at its place in the order.
final class EngineTask: Sendable {
    let run: @Sendable (Engine) -> Void

    init(_ run: @escaping @Sendable (Engine) -> Void) {
        self.run = run
    }
}
