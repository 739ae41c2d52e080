/// What threads of a ``ThreadPool`` run. It is bound to classes, so that submitting one allocates
/// nothing.
///
/// A task sees to it that it is submitted once until its turn begins, or as often as turns of it
/// may run at the same time: that is the bound of the pool's queue.
package protocol PooledTask: AnyObject, Sendable {
    /// Does what waits, and returns. A thread of the pool calls it once for each
    /// ``ThreadPool/submit(_:)``.
    ///
    /// A task that has more to do when its turn is over (``ThreadPool/isTurnOver(since:)``) submits
    /// itself again as the last thing that it does.
    func takeTurn()
}

/// Tasks that wait for a thread, first in, first out. It allocates only where it grows.
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
