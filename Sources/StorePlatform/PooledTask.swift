/// Work that threads of a ``ThreadPool`` run. The protocol is bound to classes, so that submitting
/// a task allocates nothing.
///
/// The pool's queue has no bound of its own. A task must bound its submissions: one until its turn
/// begins, or as many as its simultaneous turns.
package protocol PooledTask: AnyObject, Sendable {
    /// Does the waiting work, and returns. A thread of the pool calls this once for each
    /// ``ThreadPool/submit(_:)``.
    ///
    /// If work is left when the turn is over (``ThreadPool/isTurnOver(since:)``), the task submits
    /// itself again, as its last step.
    func takeTurn()
}

/// Tasks that wait for a thread, first in, first out. The queue allocates only when it grows.
struct TaskQueue: Sendable {
    private var places: ContiguousArray<(any PooledTask)?> = []
    private var first = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ task: any PooledTask) {
        if count == places.count { grow() }
        places[(first + count) % places.count] = task
        count += 1
    }

    mutating func popFirst() -> (any PooledTask)? {
        guard count > 0 else { return nil }
        defer {
            places[first] = nil
            first = (first + 1) % places.count
            count -= 1
        }
        return places[first]
    }

    private mutating func grow() {
        var larger = ContiguousArray<(any PooledTask)?>()
        larger.reserveCapacity(max(16, 2 * count))
        for index in 0..<count { larger.append(places[(first + index) % count]) }
        for _ in count..<max(16, 2 * count) { larger.append(nil) }
        places = larger
        first = 0
    }
}
