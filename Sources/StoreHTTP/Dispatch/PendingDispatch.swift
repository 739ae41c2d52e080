import StoreCore
import StorePlatform
import Synchronization

/// The result of an action's effects, after all of them have ended.
enum DispatchEnd: Sendable {
    /// Success. The value is the effect's return value as JSON, if it has one.
    case done(value: [UInt8]?)
    /// An error, with the text that clients get.
    case failed(reason: String)
}

/// A dispatch whose client waits for its effects, and their result.
final class PendingDispatch: Sendable {
    typealias Waiter = @Sendable (DispatchEnd) -> Void

    private struct State: Sendable {
        var end: DispatchEnd?
        /// The end of the effects, in nanoseconds of the store's steady clock.
        var endedAt: Int64 = 0
        /// The closures that are called at the end, by ticket.
        var waiters: [ObjectIdentifier: Waiter] = [:]
    }

    let answer: AppliedAnswer
    let isBatch: Bool
    let returnsState: Bool
    /// The session of the client that dispatched; `nil` for a client without one.
    let session: String?
    /// The principal that dispatched; `nil` for a client without a credential.
    let principal: ActionPrincipal?
    private let state = Locked(State())

    init(
        _ answer: AppliedAnswer,
        isBatch: Bool,
        returnsState: Bool,
        session: String?,
        principal: ActionPrincipal? = nil
    ) {
        self.answer = answer
        self.isBatch = isBatch
        self.returnsState = returnsState
        self.session = session
        self.principal = principal
    }

    /// Records the result, and calls the waiting closures. Called once.
    func end(_ end: DispatchEnd, at time: Int64) {
        let waiters = state.withLock { state -> [Waiter] in
            state.end = end
            state.endedAt = time
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter(end) }
    }

    /// Calls `waiter` with the result: at once if the effects have ended, else at their end.
    func wait(for ticket: DispatchTicket, _ waiter: @escaping Waiter) {
        let end = state.withLock { state -> DispatchEnd? in
            if state.end == nil { state.waiters[ObjectIdentifier(ticket)] = waiter }
            return state.end
        }
        if let end { waiter(end) }
    }

    /// Removes a waiting ticket, because its client's time is over.
    func leave(_ ticket: DispatchTicket) {
        state.withLock { _ = $0.waiters.removeValue(forKey: ObjectIdentifier(ticket)) }
    }

    /// True if the effects ended before `time`.
    func hasEnded(before time: Int64) -> Bool {
        state.withLock { $0.end != nil && $0.endedAt < time }
    }

    var valueBytes: Int {
        state.withLock { state in
            if case .done(let value?) = state.end { value.count } else { 0 }
        }
    }
}
