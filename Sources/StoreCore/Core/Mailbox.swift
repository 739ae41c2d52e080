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

    /// The next activity of the thread that offered an item.
    enum Admission: Sendable {
        /// Process the item and then the queue: no other thread is working.
        case drain
        case queued
        /// Wake the Core's thread.
        case wake
        case full
        case closed
    }

    /// The next activity of the thread that does the Core's work.
    enum NextActivity: Sendable { case work, sleep, end }

    private(set) var items: ContiguousArray<Item> = []
    /// The number of waiting actions of clients.
    private(set) var clientActionCount = 0
    /// The number of waiting actions of the program.
    private(set) var programActionCount = 0
    /// The number of idempotency keys in the items.
    private var keyCount = 0
    /// True while a calling thread works. Items that arrive meanwhile are queued.
    var isDraining = false
    /// True while the Core's thread sleeps; on a pool, while no turn runs or waits.
    var isSleeping = false
    var isClosed = false
    let isThreaded: Bool
    let clientActionsMax: Int
    let programActionsMax: Int

    init(isThreaded: Bool, clientActionsMax: Int, programActionsMax: Int) {
        self.isThreaded = isThreaded
        self.clientActionsMax = clientActionsMax
        self.programActionsMax = programActionsMax
    }

    /// Admits an item of `count` actions and `keyCount` idempotency keys, or returns the reason for
    /// refusing it. If `wakes` is true and the Core's thread sleeps, returns ``Admission/wake``.
    mutating func admit(
        _ item: @autoclosure () -> Item,
        _ lane: Lane,
        count: Int,
        keyCount: Int,
        wakes: Bool
    ) -> Admission {
        if isClosed, lane != .tasks || isThreaded { return .closed }
        // A lane without waiting actions accepts an array that is larger than the bound.
        switch lane {
        case .clients where clientActionCount + count > clientActionsMax && clientActionCount > 0:
            return .full
        case .program
        where programActionCount + count > programActionsMax && programActionCount > 0: return .full
        default: break
        }
        if !isDraining, !isThreaded {
            isDraining = true
            return .drain
        }
        switch lane {
        case .clients: clientActionCount += count
        case .program: programActionCount += count
        case .tasks: break
        }
        self.keyCount += keyCount
        items.append(item())
        guard wakes, isSleeping else { return .queued }
        isSleeping = false
        return .wake
    }

    /// Empties the mailbox into `taken`, and keeps the memory of `taken` for later items. Sets
    /// `keyCount` to the number of idempotency keys. Returns `false` if no item waits.
    mutating func take(into taken: inout ContiguousArray<Item>, _ keyCount: inout Int) -> Bool {
        guard items.count > 0 else { return false }
        swap(&items, &taken)
        keyCount = self.keyCount
        (clientActionCount, programActionCount, self.keyCount) = (0, 0, 0)
        return true
    }
}

/// A waiting action without an envelope.
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
