import StoreCore
import StoreHistory
import StorePlatform
import Synchronization

extension StoreServer {
    /// Starts the modules that start with the store, where it has no history, and waits until that
    /// is durable.
    ///
    /// All of them are one step, which is applied to the very first state and to no other. So they
    /// are started once, however often the process ends meanwhile, and however many servers begin
    /// one history together.
    ///
    /// - Throws: ``FirstStartError`` where they can't be started.
    func startModules(of store: AssembledStore<State>) throws {
        try offerFirstStarts(of: store)?.check()
    }

    /// Hands over the actions that start these modules; `nil` where there are none, or the store
    /// has a history.
    func offerFirstStarts(of store: AssembledStore<State>) throws -> FirstStarts? {
        let (base, starts) = (store.base, composition.starts)
        guard !starts.isEmpty, base.history.version == 0,
            // A state that was given goes on from an earlier store's.
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

    /// Those of these wire names.
    fileprivate init(_ types: [String]) { self.types = types }

    func complete(_ outcome: Outcome) {
        self.outcome.withLock { $0 = outcome }
        isOver.open()
    }

    /// Waits until they are durable.
    fileprivate func check() throws(FirstStartError) {
        _ = isOver.wait()
        switch outcome.withLock({ $0 }) {
        // Another server of this history was first.
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

/// Why the modules that start with the store did not.
struct FirstStartError: Error, CustomStringConvertible {
    let description: String
}
