import StorePlatform
import Synchronization

/// A clock that stands still until a test or a client moves it. Tasks can sleep on the clock.
///
/// ```swift
/// let clock = ManualClock()
/// let store = TestStore(
///     Home(),
///     Home.State(titles: []),
///     dependencies: .controlled(by: clock)
/// )
/// await store.send(.refreshed) { $0.isBusy = true }
/// await clock.advance(by: .seconds(1))
/// ```
///
/// Sleepers wake in the order of their deadlines. Sleepers with the same deadline wake in the order
/// in which they fell asleep. The next sleeper wakes only after the woken sleeper has ended or
/// waits again. The clock keeps this order only for the effects of a `TestStore` with this clock. A
/// test of other tasks calls ``untilSleeping(_:within:)``.
public final class ManualClock: Clock, Sendable {
    /// A moment of this clock.
    public struct Instant: InstantProtocol {
        /// The duration by which the clock has moved from its start to this moment.
        public let sinceStart: Duration

        /// Returns the moment that is later by `duration`.
        public func advanced(by duration: Duration) -> Instant {
            Instant(sinceStart: sinceStart + duration)
        }

        /// Returns the duration from this moment to `other`.
        public func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }

        /// Returns true if `a` is earlier than `b`.
        public static func < (a: Instant, b: Instant) -> Bool { a.sinceStart < b.sinceStart }
    }

    private struct Sleeper: Sendable {
        let id: UInt64
        let deadline: Instant
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Status: Sendable {
        var now = Instant(sinceStart: .zero)
        var lastID: UInt64 = 0
        var sleepers: [Sleeper] = []
        /// The ids of the tasks that were cancelled before they slept.
        var cancelledIDs: Set<UInt64> = []
        /// The functions that wait until woken sleepers are at rest, before the next sleeper wakes.
        /// Each store with this clock adds one function.
        var restWaiters: [@Sendable () async -> Bool] = []
    }

    /// The maximum number of sleepers that one ``run()`` wakes.
    public static let wakesMax = 10_000

    /// The time of day, which moves with the clock.
    public let timeOfDay: ManualWallClock
    private let status = Locked(Status())
    private let changes = ChangeSignal()

    /// Makes a clock.
    ///
    /// - Parameter timeOfDay: the first value of ``timeOfDay``, in nanoseconds since 1970.
    public init(timeOfDay: Int64 = 0) { self.timeOfDay = ManualWallClock(at: timeOfDay) }

    /// The current moment of the clock.
    public var now: Instant { status.withLock { $0.now } }

    /// Always zero: the clock is exact.
    public var minimumResolution: Duration { .zero }

    /// The number of tasks that sleep on the clock.
    public var sleeperCount: Int { status.withLock { $0.sleepers.count } }

    /// Waits until the clock has been moved to `deadline`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let id = status.withLock { status in
            status.lastID += 1
            return status.lastID
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: Bool? = status.withLock { status in
                    if status.cancelledIDs.remove(id) != nil { return false }
                    if deadline <= status.now { return true }
                    status.sleepers.append(
                        Sleeper(id: id, deadline: deadline, continuation: continuation)
                    )
                    return nil
                }
                if let now { continuation.resume(returning: now) } else { changes.signal() }
            }
        } onCancel: {
            cancelSleeper(id)
        }
        _ = status.withLock { $0.cancelledIDs.remove(id) }
        if !isOver { throw CancellationError() }
    }

    private func cancelSleeper(_ id: UInt64) {
        let sleeper = status.withLock { status -> Sleeper? in
            guard let index = status.sleepers.firstIndex(where: { $0.id == id }) else {
                status.cancelledIDs.insert(id)
                return nil
            }
            return status.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(returning: false)
    }
}

// Moving the clock

extension ManualClock {
    /// Moves the clock, and wakes each sleeper at its deadline.
    ///
    /// A task that begins to sleep meanwhile wakes, too, if its deadline is not after the new time.
    public nonisolated(nonsending) func advance(by duration: Duration) async {
        _ = await advance(by: duration, wakesMax: .max)
    }

    /// Moves the clock, but stops if `wakesMax` sleepers were woken and another sleeper is due.
    /// Also stops if a woken sleeper does not come to rest. Returns true if the clock has moved by
    /// the whole duration.
    package nonisolated(nonsending) func advance(
        by duration: Duration,
        wakesMax: Int
    ) async -> Bool {
        var isAtRest = await waitForRest()
        let target = now.advanced(by: max(duration, .zero))
        var wakes = 0
        while isAtRest, wakes < wakesMax, wakeNext(through: target) {
            wakes += 1
            isAtRest = await waitForRest()
        }
        guard isAtRest, wakes < wakesMax || (nextDeadline.map { $0 > target } ?? true) else {
            return false
        }
        move(to: target)
        return true
    }

    /// The deadline of the next sleeper; `nil` if no task sleeps.
    package var nextDeadline: Instant? { status.withLock { $0.sleepers.map(\.deadline).min() } }

    /// Moves the clock to one deadline after another, until no task sleeps. Wakes at most
    /// ``wakesMax`` sleepers, because some tasks sleep again and again.
    public nonisolated(nonsending) func run() async {
        _ = await waitForRest()
        var wakes = 0
        while wakes < Self.wakesMax, wakeNext(through: nil) {
            wakes += 1
            _ = await waitForRest()
        }
    }

    /// Waits until at least `count` tasks sleep on the clock. Use this function for tasks that are
    /// not effects of a store.
    ///
    /// - Returns: true if `count` tasks slept within `timeout`, which is real time.
    @discardableResult
    public nonisolated(nonsending) func untilSleeping(
        _ count: Int = 1,
        within timeout: Duration = .seconds(1)
    ) async -> Bool {
        await changes.wait(within: timeout) { [self] in sleeperCount >= count }
    }

    /// Adds a function that the clock calls before each wake. The function waits for woken
    /// sleepers, and returns true if they came to rest.
    package func addRestWaiter(_ rest: @escaping @Sendable () async -> Bool) {
        status.withLock { $0.restWaiters.append(rest) }
    }

    private nonisolated(nonsending) func waitForRest() async -> Bool {
        var isAtRest = true
        for rest in status.withLock({ $0.restWaiters }) where await !rest() { isAtRest = false }
        return isAtRest
    }

    /// Moves the clock to the earliest deadline, and wakes the sleeper with this deadline. Returns
    /// false if no sleeper is due by `target`. If `target` is `nil`, every sleeper is due.
    private func wakeNext(through target: Instant?) -> Bool {
        let sleeper = status.withLock { status -> Sleeper? in
            guard let next = status.sleepers.min(by: { $0.deadline < $1.deadline }),
                target.map({ next.deadline <= $0 }) ?? true
            else { return nil }
            status.sleepers.removeAll { $0.id == next.id }
            return next
        }
        guard let sleeper else { return false }
        move(to: sleeper.deadline)
        sleeper.continuation.resume(returning: true)
        return true
    }

    /// Moves the clock forward; does nothing for an earlier moment.
    private func move(to instant: Instant) {
        let moved = status.withLock { status -> Duration in
            let moved = max(status.now.duration(to: instant), .zero)
            status.now = max(status.now, instant)
            return moved
        }
        let (seconds, attoseconds) = moved.components
        timeOfDay.advance(by: seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    }
}

/// A time of day that stands still until a test or a clock moves it.
public final class ManualWallClock: WallClock {
    private let time: Locked<Int64>

    /// Makes a clock that shows this time, in nanoseconds since 1970.
    public init(at time: Int64 = 0) { self.time = Locked(time) }

    /// Returns the current time of the clock, in nanoseconds since 1970.
    public func now() -> Int64 { time.withLock { $0 } }

    /// Moves the time by this number of nanoseconds. A negative number moves the time back.
    public func advance(by nanoseconds: Int64) { time.withLock { $0 &+= nanoseconds } }
}
