import StoreCore
import StoreHistory
import StorePlatform
import Synchronization

extension StoreServer {
    /// Starts the modules that start with the store, if it has no history, and waits until the
    /// starts are durable.
    ///
    /// All starts form one envelope, which is applied to the state of version 0 alone. The modules
    /// are therefore started once, even if the process ends meanwhile, or several servers begin one
    /// history together.
    ///
    /// - Throws: ``FirstStartError`` if they can't be started.
    func startModules(of store: AssembledStore<State>) throws {
        try offerFirstStarts(of: store)?.check()
    }

    /// Dispatches the actions that start these modules. Returns `nil` if there are none, or the
    /// store has a history.
    func offerFirstStarts(of store: AssembledStore<State>) throws -> FirstStarts? {
        let (base, starts) = (store.base, composition.starts)
        guard !starts.isEmpty, base.history.version == 0,
            // A state from a file continues an earlier store, whose modules have started.
            try GivenState.began(base.history.journal) == nil
        else { return nil }
        let members = try starts.map { try base.registry.member(of: $0, base.encoder) }
        let first = FirstStarts(members.map(\.type))
        let envelope = Envelope(
            members: members,
            condition: VersionCondition(0),
            source: ActionSource(cause: nil, place: "StoreServer/start"),
            completion: first
        )
        try store.core.handle.offer(envelope)
        return first
    }
}

/// Waits for the outcome of the first starts.
final class FirstStarts: Completion {
    private let types: [String]
    private let isOver = Latch()
    private let outcome = Locked<Outcome?>(nil)

    /// Makes a value that waits for the start actions with these wire names.
    fileprivate init(_ types: [String]) { self.types = types }

    func complete(_ outcome: Outcome) {
        self.outcome.withLock { $0 = outcome }
        isOver.open()
    }

    /// Waits until the starts are durable.
    fileprivate func check() throws(FirstStartError) {
        _ = isOver.wait()
        switch outcome.withLock({ $0 }) {
        // A version mismatch means that another server of this history has started the modules.
        case .applied, .versionMismatch: return
        case .refused(let refusal, let member):
            let type = types.indices.contains(member) ? types[member] : "start"
            let reason = refusal.failure.map { "\($0)" } ?? refusal.reason
            throw FirstStartError(description: "the store can't begin with '\(type)': \(reason)")
        case .failed(.storageFull):
            throw FirstStartError(
                description: "the store can't begin: there is no room for its first actions"
            )
        default:
            throw FirstStartError(
                description: "the store can't begin: its first actions were not applied"
            )
        }
    }
}

/// The reason why the modules that start with the store did not start.
struct FirstStartError: Error, CustomStringConvertible {
    let description: String
}
