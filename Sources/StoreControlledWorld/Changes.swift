import Dispatch
import StorePlatform
import Synchronization

/// Waits for a condition without polling: a task waits in ``wait(within:until:)``, and looks at its
/// condition again after each ``signal()``. A thread calls that when it has changed something on
/// which a condition may depend. Test stores and controlled clocks wait this way.
package final class Changes: Sendable {
    private struct Table: Sendable {
        /// How many signals there have been.
        var signals: UInt64 = 0
        /// The id that was given last.
        var lastID: UInt64 = 0
        /// The tasks that wait for the next signal, by an id of each. They resume with whether it
        /// came in time.
        var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    }

    private let table = Locked(Table())

    package init() {}

    /// Wakes every task that waits. Any thread.
    package func signal() {
        let waiting = table.withLock { table in
            table.signals += 1
            defer { table.waiting = [:] }
            return table.waiting.values
        }
        for continuation in waiting { continuation.resume(returning: true) }
    }

    /// Waits until `condition` holds, but no longer than `timeout` of real time.
    ///
    /// - Returns: whether it held.
    package nonisolated(nonsending) func wait(
        within timeout: Duration,
        until condition: () -> Bool
    ) async -> Bool {
        let deadline = ContinuousClock.now + timeout
        while true {
            // Read before the condition is looked at, so that no change after that is missed.
            let seen = table.withLock { $0.signals }
            if condition() { return true }
            let left = deadline - ContinuousClock.now
            guard left > .zero, await nextSignal(after: seen, within: left) else {
                return condition()
            }
        }
    }

    /// Waits until there were more than `seen` signals. Returns `false` where none came in time.
    private nonisolated(nonsending) func nextSignal(
        after seen: UInt64,
        within timeout: Duration
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            let id = table.withLock { table -> UInt64? in
                guard table.signals == seen else { return nil }
                table.lastID += 1
                table.waiting[table.lastID] = continuation
                return table.lastID
            }
            guard let id else {
                continuation.resume(returning: true)
                return
            }
            // Eleven days at the most: a caller may pass a time that a timer can't hold.
            let seconds = min(timeout, .seconds(1_000_000)) / .seconds(1)
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) {
                [weak self] in
                self?.table.withLock { $0.waiting.removeValue(forKey: id) }?
                    .resume(returning: false)
            }
        }
    }
}
