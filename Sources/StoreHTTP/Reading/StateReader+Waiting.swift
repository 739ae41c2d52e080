import StoreHTTPTransport
import StorePublishing

extension StateReader {
    /// Calls `answer` once: with the first state whose version is greater than `version`, or with
    /// `nil` when the wait has expired, also by the end of the access. Any thread.
    ///
    /// - Returns: the wait; `nil` where there is such a state, and `answer` was called already.
    func wait(
        after version: UInt64,
        for caller: Caller,
        with access: HeldAccess?,
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

    /// Ends the waits of a session that has ended, without a newer version. Any thread.
    func endWaits(of session: String) {
        waiters.expireAll(of: session)
    }

    /// Ends the waits that are no longer allowed, without a newer version. Any thread.
    package func endForbiddenWaits() {
        waiters.expireForbidden()
    }
}

/// A reader that waits for a newer version.
struct PendingRead: Sendable {
    fileprivate let id: UInt64
    fileprivate let waiters: LongPolls

    /// Ends the wait without a newer version, unless it has ended.
    func expire() {
        waiters.expire(id)
    }

    /// Cancels `timer` when the wait ends; at once where it has ended.
    func end(with timer: LoopTimer) {
        waiters.end(timer: timer.cancel, with: id)
    }
}
