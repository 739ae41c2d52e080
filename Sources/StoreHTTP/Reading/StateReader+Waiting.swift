import StoreHTTPTransport
import StorePublishing

extension StateReader {
    /// Calls `answer` once, with the first state in which the caller's part has changed after
    /// `version`. If the wait expires or the access ends, calls it with `nil`. Any thread may call
    /// it.
    ///
    /// - Returns: the wait; `nil` if there is such a state already, and so `answer` was called.
    func wait(
        after version: UInt64,
        for caller: Caller,
        with access: AccessLease?,
        _ answer: @escaping @Sendable (VisibleState?) -> Void
    ) -> PendingRead? {
        let isAllowed = access.map { access in { @Sendable in access.isGood } }
        let waiter = LongPolls.Waiter(after: version, for: caller.viewer, while: isAllowed) {
            [documents] newer in
            answer(
                newer.map { VisibleState($0.visible(to: caller.viewer), documents, for: caller) }
            )
        }
        return waiters.add(waiter) { newest.value }.map { PendingRead(id: $0, waiters: waiters) }
    }

    /// Ends the waits of a session that has ended, without a newer version. Any thread may call it.
    func endWaits(of session: String) {
        waiters.expireAll(of: session)
    }

    /// Ends the waits whose access has ended, without a newer version. Any thread may call it.
    package func endForbiddenWaits() {
        waiters.expireForbidden()
    }
}

/// A request that waits for a newer version.
struct PendingRead: Sendable {
    fileprivate let id: UInt64
    fileprivate let waiters: LongPolls

    /// Ends the wait without a newer version, unless it has ended already.
    func expire() {
        waiters.expire(id)
    }

    /// Cancels `timer` when the wait ends; at once if it has ended already.
    func end(with timer: LoopTimer) {
        waiters.end(timer: timer.cancel, with: id)
    }
}
