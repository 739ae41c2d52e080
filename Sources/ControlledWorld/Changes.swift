import Dispatch
import Platform
import Synchronization

/// Wakes the tasks that wait for a condition, whenever something that it depends on has changed.
package final class Changes: Sendable {
    private struct Table: Sendable {
        var count: UInt64 = 0
        var ids: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    }

    private let table = Locked(Table())

    package init() {}

    /// Something has changed. Any thread.
    package func signal() {
        let waiting = table.withLock { table in
            table.count += 1
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
            let seen = table.withLock { $0.count }
            if condition() { return true }
            let left = deadline - ContinuousClock.now
            guard left > .zero, await change(after: seen, within: left) else { return condition() }
        }
    }

    /// Waits for the change that follows the `seen`th. Answers `false` where none came in time.
    private nonisolated(nonsending) func change(
        after seen: UInt64,
        within timeout: Duration
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            let id = table.withLock { table -> UInt64? in
                guard table.count == seen else { return nil }
                table.ids += 1
                table.waiting[table.ids] = continuation
                return table.ids
            }
            guard let id else {
                continuation.resume(returning: true)
                return
            }
            let seconds = min(timeout, .seconds(1_000_000)) / .seconds(1)
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) {
                [weak self] in
                self?.table.withLock { $0.waiting.removeValue(forKey: id) }?
                    .resume(returning: false)
            }
        }
    }
}
