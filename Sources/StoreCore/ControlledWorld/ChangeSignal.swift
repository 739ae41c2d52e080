import Dispatch
import StorePlatform
import Synchronization

/// A condition variable for tasks. A task waits in ``wait(within:until:)``, and checks its
/// condition again after each ``signal()``. A thread calls ``signal()`` after it has changed a
/// value on which a condition may depend. Test stores and controlled clocks wait this way.
package final class ChangeSignal: Sendable {
    private struct Status: Sendable {
        /// The number of signals so far.
        var signalCount: UInt64 = 0
        /// The id of the newest waiting task.
        var lastID: UInt64 = 0
        /// The tasks that wait for the next signal, by id. A task resumes with true if the signal
        /// came in time.
        var waitersByID: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    }

    private let status = Locked(Status())

    package init() {}

    /// Wakes all waiting tasks. Any thread may call this function.
    package func signal() {
        let waiting = status.withLock { status in
            status.signalCount += 1
            defer { status.waitersByID = [:] }
            return status.waitersByID.values
        }
        for continuation in waiting { continuation.resume(returning: true) }
    }

    /// Waits until `condition` is true, at most for `timeout` of real time.
    ///
    /// - Returns: true if the condition was true in time.
    package nonisolated(nonsending) func wait(
        within timeout: Duration,
        until condition: () -> Bool
    ) async -> Bool {
        let deadline = ContinuousClock.now + timeout
        while true {
            // Reads the number of signals first, so that the wait misses no change after the check
            // of the condition.
            let seen = status.withLock { $0.signalCount }
            if condition() { return true }
            let left = deadline - ContinuousClock.now
            guard left > .zero, await waitForSignal(after: seen, within: left) else {
                return condition()
            }
        }
    }

    /// Waits until the number of signals exceeds `seen`. Returns `false` if no signal came in time.
    private nonisolated(nonsending) func waitForSignal(
        after seen: UInt64,
        within timeout: Duration
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            let id = status.withLock { status -> UInt64? in
                guard status.signalCount == seen else { return nil }
                status.lastID += 1
                status.waitersByID[status.lastID] = continuation
                return status.lastID
            }
            guard let id else { return continuation.resume(returning: true) }
            // Waits at most eleven days: a timer cannot represent every duration.
            let seconds = min(timeout, .seconds(1_000_000)) / .seconds(1)
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
                self?.status.withLock { $0.waitersByID.removeValue(forKey: id) }?
                    .resume(returning: false)
            }
        }
    }
}
