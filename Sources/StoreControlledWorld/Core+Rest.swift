package import StoreCore

extension Core {
    /// Waits until the effects on `executor` have ended or wait, and the Core has applied the
    /// actions that they dispatched.
    ///
    /// - Returns: `false` if an effect blocks its thread for `OrderedExecutor.busyMax`, else
    ///   `true`.
    package nonisolated(nonsending) func rest(of executor: OrderedExecutor) async -> Bool {
        var last: (version: UInt64?, begun: UInt64)?
        while true {
            guard await executor.rest() else { return false }
            // The call commits the envelopes of the mailbox first, so their effects have begun.
            let now = (await committedVersion(), executor.begunTotal)
            if let last, last == now, executor.isAtRest { return true }
            last = now
        }
    }
}
