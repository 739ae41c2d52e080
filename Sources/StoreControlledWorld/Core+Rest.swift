package import StoreCore

extension Core {
    /// Waits until the effects on `executor` have done what they can, and the Core what that led
    /// to.
    ///
    /// - Returns: whether they did; one that blocks its thread for `OrderedExecutor.busyMax` does
    ///   not.
    package nonisolated(nonsending) func rest(of executor: OrderedExecutor) async -> Bool {
        var last: (version: UInt64?, begun: UInt64)?
        while true {
            guard await executor.rest() else { return false }
            // What waited in the mailbox is committed before this, and so its effects have begun.
            let now = (await committedVersion(), executor.begunTotal)
            if let last, last == now, executor.isAtRest { return true }
            last = now
        }
    }
}
