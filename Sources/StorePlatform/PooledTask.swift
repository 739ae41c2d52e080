/// Work that threads of a ``ThreadPool`` run. Only a class can conform: the pool's queue then holds
/// references, and submitting a task allocates no memory.
///
/// The pool's queue has no bound of its own. Each task must bound the number of its waiting
/// submissions, to one or to the number of its simultaneous turns.
package protocol PooledTask: AnyObject, Sendable {
    /// Does the waiting work, and returns. Each call is a turn of the task. A thread of the pool
    /// calls this function once for each ``ThreadPool/submit(_:)``.
    ///
    /// If work is left when the turn is over (``ThreadPool/isTurnOver(since:)``), the task submits
    /// itself again, as its last step.
    func takeTurn()
}

/// Tasks that wait for a thread, first in, first out. The queue allocates only when it grows.
struct TaskQueue: Sendable {
    private var slots: ContiguousArray<(any PooledTask)?> = []
    private var firstIndex = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ task: any PooledTask) {
        if count == slots.count { grow() }
        slots[(firstIndex + count) % slots.count] = task
        count += 1
    }

    mutating func popFirst() -> (any PooledTask)? {
        guard count > 0 else { return nil }
        defer {
            slots[firstIndex] = nil
            firstIndex = (firstIndex + 1) % slots.count
            count -= 1
        }
        return slots[firstIndex]
    }

    private mutating func grow() {
        let free = repeatElement(nil as (any PooledTask)?, count: max(16 - count, count))
        slots = ContiguousArray(slots[firstIndex...] + slots[..<firstIndex]) + free
        firstIndex = 0
    }
}

/// The ages of a pool's turns, counted in intervals between two calls of
/// ``ThreadPool/beginMissingThread()``. So a turn does not read the clock.
///
/// A turn that has lasted for one whole interval is a held turn. The thread of a held turn is
/// blocked, or computes for a long time. Such a thread does not count towards the pool's
/// ``ThreadPool/threadsMax``.
struct TurnAges: Sendable {
    /// Turns that began in this interval.
    private var freshCount = 0
    /// Turns that began in the previous interval.
    private var agingCount = 0
    /// Turns that began before the previous interval.
    private(set) var heldCount = 0
    private var intervalNumber: UInt64 = 0

    /// Counts a turn that begins. Returns its interval, for ``endTurn(begunIn:)``.
    mutating func beginTurn() -> UInt64 {
        freshCount += 1
        return intervalNumber
    }

    /// Removes a turn that began in the given interval, and has ended.
    mutating func endTurn(begunIn begun: UInt64) {
        switch intervalNumber - begun {
        case 0: freshCount -= 1
        case 1: agingCount -= 1
        default: heldCount -= 1
        }
    }

    /// Begins the next interval.
    mutating func beginInterval() {
        heldCount += agingCount
        agingCount = freshCount
        freshCount = 0
        intervalNumber += 1
    }
}
