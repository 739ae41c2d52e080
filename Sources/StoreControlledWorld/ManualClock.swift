import StorePlatform
import Synchronization

/// A clock that stands still until a test or a client moves it. A task that sleeps on it waits for
/// that.
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
/// Sleepers wake in the order of their deadlines, those of one deadline in the order in which they
/// fell asleep, and each has done what it can before the next wakes. That holds for the effects of
/// a `TestStore` that has this clock; for other tasks there is ``untilSleeping(_:within:)``.
public final class ManualClock: Clock, Sendable {
    /// A moment of this clock: how far it has been moved since it was made.
    public struct Instant: InstantProtocol {
        /// How far the clock has been moved until then.
        public let sinceStart: Duration

        /// The moment that is so much later.
        public func advanced(by duration: Duration) -> Instant {
            Instant(sinceStart: sinceStart + duration)
        }

        /// How much later `other` is.
        public func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }

        /// Whether `a` is earlier.
        public static func < (a: Instant, b: Instant) -> Bool { a.sinceStart < b.sinceStart }
    }

    private struct Sleeper: Sendable {
        let id: UInt64
        let deadline: Instant
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Table: Sendable {
        var now = Instant(sinceStart: .zero)
        var ids: UInt64 = 0
        var sleepers: [Sleeper] = []
        /// The sleepers that were cancelled before they slept.
        var cancelled: Set<UInt64> = []
        /// What to wait for before the next one wakes: the effects of a store that has this clock.
        var rests: [@Sendable () async -> Bool] = []
    }

    /// The most wakes in one ``run()``.
    public static let wakesMax = 10_000

    /// The time of day, which moves along.
    public let timeOfDay: ManualWallClock
    private let table = Locked(Table())
    private let changes = Changes()

    /// Makes a clock.
    ///
    /// - Parameter timeOfDay: what ``timeOfDay`` shows at first, in nanoseconds since 1970.
    public init(timeOfDay: Int64 = 0) {
        self.timeOfDay = ManualWallClock(at: timeOfDay)
    }

    /// The moment that it stands at.
    public var now: Instant { table.withLock { $0.now } }

    /// It is exact.
    public var minimumResolution: Duration { .zero }

    /// How many sleep on it.
    public var sleeping: Int { table.withLock { $0.sleepers.count } }

    /// Waits until the clock has been moved to `deadline`.
    ///
    /// - Throws: `CancellationError` where the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let id = table.withLock { table in
            table.ids += 1
            return table.ids
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: Bool? = table.withLock { table in
                    if table.cancelled.remove(id) != nil { return false }
                    if deadline <= table.now { return true }
                    table.sleepers.append(
                        Sleeper(id: id, deadline: deadline, continuation: continuation)
                    )
                    return nil
                }
                if let now { continuation.resume(returning: now) } else { changes.signal() }
            }
        } onCancel: {
            cancel(id)
        }
        _ = table.withLock { $0.cancelled.remove(id) }
        if !isOver { throw CancellationError() }
    }

    private func cancel(_ id: UInt64) {
        let sleeper = table.withLock { table -> Sleeper? in
            guard let index = table.sleepers.firstIndex(where: { $0.id == id }) else {
                table.cancelled.insert(id)
                return nil
            }
            return table.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(returning: false)
    }
}

// Moving it

extension ManualClock {
    /// Moves the clock, and wakes those whose deadlines come.
    ///
    /// A task that begins to sleep meanwhile is woken, too, if its deadline is not later.
    public nonisolated(nonsending) func advance(by duration: Duration) async {
        _ = await advance(by: duration, wakesMax: .max)
    }

    /// The same, but stops at the deadline of the last sleeper that may be woken, or where one that
    /// was woken does not come to rest. Returns whether it came to its end.
    package nonisolated(nonsending) func advance(
        by duration: Duration,
        wakesMax: Int
    ) async -> Bool {
        var isAtRest = await rest()
        let target = now.advanced(by: max(duration, .zero))
        var wakes = 0
        while isAtRest, wakes < wakesMax, wakeNext(through: target) {
            wakes += 1
            isAtRest = await rest()
        }
        guard isAtRest, wakes < wakesMax || (nextDeadline.map { $0 > target } ?? true) else {
            return false
        }
        move(to: target)
        return true
    }

    /// The moment at which the next sleeper wakes, where there is one.
    package var nextDeadline: Instant? { table.withLock { $0.sleepers.map(\.deadline).min() } }

    /// Moves the clock to one deadline after the other, for as long as a task sleeps; at the
    /// most ``wakesMax`` times, because some sleep again and again.
    public nonisolated(nonsending) func run() async {
        _ = await rest()
        var wakes = 0
        while wakes < Self.wakesMax, wakeNext(through: nil) {
            wakes += 1
            _ = await rest()
        }
    }

    /// Waits until at least so many sleep on the clock; for tasks that are no effects of a store.
    ///
    /// - Returns: whether that was so within `timeout`, which is real time.
    @discardableResult
    public nonisolated(nonsending) func untilSleeping(
        _ count: Int = 1,
        within timeout: Duration = .seconds(1)
    ) async -> Bool {
        await changes.wait(within: timeout) { [self] in sleeping >= count }
    }

    /// Waits for `rest` before each wake; it returns whether the woken sleepers came to rest.
    package func resting(_ rest: @escaping @Sendable () async -> Bool) {
        table.withLock { $0.rests.append(rest) }
    }

    private nonisolated(nonsending) func rest() async -> Bool {
        var isAtRest = true
        for rest in table.withLock({ $0.rests }) where await !rest() { isAtRest = false }
        return isAtRest
    }

    /// Wakes the sleeper with the earliest deadline. Returns whether there was one.
    private func wakeNext(through target: Instant?) -> Bool {
        let sleeper = table.withLock { table -> Sleeper? in
            guard let next = table.sleepers.min(by: { $0.deadline < $1.deadline }),
                target.map({ next.deadline <= $0 }) ?? true
            else { return nil }
            table.sleepers.removeAll { $0.id == next.id }
            return next
        }
        guard let sleeper else { return false }
        move(to: sleeper.deadline)
        sleeper.continuation.resume(returning: true)
        return true
    }

    /// Moves the clock, which never goes back.
    private func move(to instant: Instant) {
        let moved = table.withLock { table -> Duration in
            let moved = max(table.now.duration(to: instant), .zero)
            table.now = max(table.now, instant)
            return moved
        }
        let (seconds, attoseconds) = moved.components
        timeOfDay.advance(by: seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    }
}
