import StorePlatform
import Synchronization

// Client requests that are no actions. Any thread may call these functions; only the reads wait for
// the Core.

extension Engine {
    /// Accepts or refuses the envelope of a client request that is no action. If the outcome is
    /// `applied`, the request is recorded and its work begins. The envelope's watch ends when the
    /// work and all its consequences have ended.
    ///
    /// - Throws: the errors of ``offer(_:wakes:)``.
    package func offer(request envelope: Envelope) throws(MailboxError) {
        try accept(.envelope(envelope), .program)
    }

    /// Returns the current root state; an empty value if the Core has stopped.
    func readState() async -> any Sendable { await readState { $0.state } }

    /// Returns the current root state, read on behalf of a session; an empty value if the Core has
    /// stopped.
    func readState(as session: String?, _ principal: ActionPrincipal?) async -> any Sendable {
        await readState { $0.state(of: session, as: principal) }
    }

    private func readState(
        _ state: @escaping @Sendable (any StateOwner) -> any Sendable
    ) async -> any Sendable {
        await withCheckedContinuation { continuation in
            let isTaken = enqueueTask { continuation.resume(returning: state($0.stateOwner)) }
            if !isTaken { continuation.resume(returning: ()) }
        }
    }

    /// Runs a task on the thread that does the Core's work, behind the waiting items. Returns
    /// `false`, without running the task, if the Core has stopped.
    @discardableResult
    package func enqueue(_ task: @escaping @Sendable () -> Void) -> Bool {
        enqueueTask { _ in task() }
    }

    /// The runner of the effects, if the state is made of modules.
    package var effects: EffectRunner? { ports.effects }

    /// The object that decides which modules are presented to each session; `nil` if no module
    /// supplies such an object.
    package var presentation: (any Presentation)? { ports.presentation }

    /// The number of waiting actions of clients, the number of waiting actions of the program
    /// itself, and the bounds of both numbers.
    package var mailboxFigures:
        (
            clientCount: Int, clientMax: Int, programCount: Int, programMax: Int
        )
    {
        mailbox.withLock {
            ($0.clientActionCount, $0.clientActionsMax, $0.programActionCount, $0.programActionsMax)
        }
    }

    /// The number of actions that the mailbox has refused since the start.
    package var mailboxRefusedTotal: UInt64 { mailboxRefusedCount.load(ordering: .relaxed) }

    /// The number of actions of the program itself that the Core has dropped since the start,
    /// instead of applying them.
    package var droppedProgramActionTotal: UInt64 { droppedActionCount.load(ordering: .relaxed) }
}
