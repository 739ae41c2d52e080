import StoreCore
import StorePlatform
import Synchronization

/// How all that follows an action came to its end.
enum DispatchEnd: Sendable {
    /// With what its effect returned, as JSON, where it returned something.
    case done(value: [UInt8]?)
    /// With an error, and what clients get of it.
    case failed(reason: String)
}

/// A dispatch whose client waits for all that follows it, and what became of it.
final class FollowedDispatch: Sendable {
    typealias Waiter = @Sendable (DispatchEnd) -> Void

    private struct State: Sendable {
        var end: DispatchEnd?
        /// When it ended, in nanoseconds of the store's steady clock.
        var endedAt: Int64 = 0
        /// Those that are answered at its end.
        var waiters: [ObjectIdentifier: Waiter] = [:]
    }

    let answer: AppliedAnswer
    let isBatch: Bool
    /// Whether the answer is to carry the state.
    let wantsState: Bool
    /// The session of the client that dispatched; `nil` for a client without one.
    let session: String?
    /// The principal that dispatched; `nil` for a client that shows no credential.
    let principal: ActionPrincipal?
    private let state = Locked(State())

    init(
        _ answer: AppliedAnswer,
        isBatch: Bool,
        wantsState: Bool,
        session: String?,
        principal: ActionPrincipal? = nil
    ) {
        self.answer = answer
        self.isBatch = isBatch
        self.wantsState = wantsState
        self.session = session
        self.principal = principal
    }

    /// Notes how it ended, and answers those who wait. Called once.
    func end(_ end: DispatchEnd, at time: Int64) {
        let waiters = state.withLock { state -> [Waiter] in
            state.end = end
            state.endedAt = time
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter(end) }
    }

    /// Calls `waiter` with the end: now where that has come, else when it comes.
    func wait(for ticket: DispatchTicket, _ waiter: @escaping Waiter) {
        let end = state.withLock { state -> DispatchEnd? in
            if state.end == nil { state.waiters[ObjectIdentifier(ticket)] = waiter }
            return state.end
        }
        if let end { waiter(end) }
    }

    /// Forgets a ticket that waits: its client's time is over.
    func leave(_ ticket: DispatchTicket) {
        state.withLock { _ = $0.waiters.removeValue(forKey: ObjectIdentifier(ticket)) }
    }

    /// Whether it ended before a time.
    func hasEnded(before time: Int64) -> Bool {
        state.withLock { $0.end != nil && $0.endedAt < time }
    }

    /// How many bytes its value has.
    var valueBytes: Int {
        state.withLock { state in
            if case .done(let value?) = state.end { value.count } else { 0 }
        }
    }
}
