import StorePlatform
import Synchronization

// Tasks for tests of pools.

/// A task that calls a closure.
final class Job: PooledTask {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    func takeTurn() { body() }
}

/// Numbers in the order in which they came.
final class Notes: Sendable {
    let all = Latch()
    private let numbers = Locked<[Int]>([])

    var values: [Int] { numbers.withLock { $0 } }

    func note(_ number: Int) { numbers.withLock { $0.append(number) } }
}

/// Holds tasks until the gate opens.
final class Gate: Sendable {
    let opened = Latch()
    /// The largest number of tasks that ran at the same time.
    let most = Atomic(0)
    let ended = Atomic(0)
    private let running = Atomic(0)
    private let begun = TimedSemaphore()

    func job() -> Job {
        Job { [self] in
            most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
            begun.signal()
            _ = opened.wait()
            running.subtract(1, ordering: .relaxed)
            ended.add(1, ordering: .relaxed)
        }
    }

    /// Waits until `count` further tasks have begun.
    func waitForTasks(_ count: Int, seconds: Double) -> Bool {
        (0..<count).allSatisfy { _ in begun.wait(seconds: seconds) }
    }
}
