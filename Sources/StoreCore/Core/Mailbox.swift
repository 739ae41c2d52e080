/// The items that wait for the Core, and the state of the thread that processes them.
struct Mailbox: ~Copyable, Sendable {
    /// An item of work. Each case has an object, so that copying an item copies a reference.
    enum Item: Sendable {
        /// An action without an envelope.
        case action(QueuedAction)
        case envelope(Envelope)
        /// A task of the Core itself, such as adding or removing an observer. No bound applies to
        /// tasks.
        case task(EngineTask)
    }

    /// The bound that an item counts against.
    enum Lane: Sendable {
        case clients
        /// Actions that the program itself dispatches.
        case program
        /// Tasks of the Core itself, which count against no bound.
        case tasks
    }

    /// The next step of the thread that brought an item.
    enum Admission: Sendable {
        /// Process the item and then the queue: no other thread is working.
        case drain
        case queued
        /// Wake the Core's thread.
        case wake
        case full
        case closed
    }

    /// The next step of the thread that does the Core's work.
    enum Next: Sendable { case work, sleep, end }

    private(set) var items: ContiguousArray<Item> = []
    /// The number of waiting actions in each lane.
    private(set) var clients = 0
    private(set) var programCount = 0
    /// The number of idempotency keys in the items.
    private var keys = 0
    /// True while a calling thread works. Items that arrive meanwhile are queued.
    var isDraining = false
    /// True while the Core's thread sleeps; on a pool, while no turn runs or waits.
    var isSleeping = false
    var isClosed = false
    let isThreaded: Bool
    let clientsMax: Int
    let programMax: Int

    init(isThreaded: Bool, clientsMax: Int, ownMax: Int) {
        self.isThreaded = isThreaded
        self.clientsMax = clientsMax
        self.programMax = ownMax
    }

    /// Admits an item of `count` actions and `keys` idempotency keys, or returns the reason for
    /// refusing it. If `wakes` is true and the Core's thread sleeps, returns ``Admission/wake``.
    mutating func admit(
        _ item: @autoclosure () -> Item,
        _ lane: Lane,
        count: Int,
        keys: Int,
        wakes: Bool
    ) -> Admission {
        if isClosed, lane != .tasks || isThreaded { return .closed }
        // A lane without waiting actions accepts an array that is larger than the bound.
        switch lane {
        case .clients where clients + count > clientsMax && clients > 0: return .full
        case .program where programCount + count > programMax && programCount > 0: return .full
        default: break
        }
        if !isDraining, !isThreaded {
            isDraining = true
            return .drain
        }
        switch lane {
        case .clients: clients += count
        case .program: programCount += count
        case .tasks: break
        }
        self.keys += keys
        items.append(item())
        guard wakes, isSleeping else { return .queued }
        isSleeping = false
        return .wake
    }

    /// Empties the mailbox into `taken`, whose memory it reuses, and sets `keyCount` to the number
    /// of idempotency keys. Returns `false` if no item waits.
    mutating func take(into taken: inout ContiguousArray<Item>, _ keyCount: inout Int) -> Bool {
        guard items.count > 0 else { return false }
        swap(&items, &taken)
        keyCount = keys
        (clients, programCount, keys) = (0, 0, 0)
        return true
    }
}

/// An action without an envelope that waits for the working thread.
final class QueuedAction: Sendable {
    let action: any Action

    init(_ action: any Action) { self.action = action }
}

/// A task of the Core itself, which waits among the items of the mailbox.
final class EngineTask: Sendable {
    let run: @Sendable (Engine) -> Void

    init(_ run: @escaping @Sendable (Engine) -> Void) {
        self.run = run
    }
}
