public import Synchronization

/// Numbers that one thread counts and any thread may read, in one piece of memory.
///
/// The owner adds by an ordinary load and an ordinary store, without an atomic instruction. The
/// owner is one thread, or several threads that take turns under one lock.
package final class Cells: Sendable {
    // Safety: the memory is allocated once, and freed when nothing refers to the object any more.
    /// The first of the numbers; all begin at zero.
    package nonisolated(unsafe) let first: UnsafeMutablePointer<Atomic<UInt64>>
    package let count: Int

    package init(count: Int) {
        self.count = count
        first = .allocate(capacity: count)
        for index in 0..<count { (first + index).initialize(to: Atomic(0)) }
    }

    deinit {
        first.deinitialize(count: count)
        first.deallocate()
    }

    /// The number at an index below ``count``. Any thread.
    package subscript(place: Int) -> UInt64 { first[place].load(ordering: .relaxed) }
}

extension Atomic where Value == UInt64 {
    /// Adds to a number that the caller owns, as with ``Cells``.
    @inlinable
    package func count(_ amount: UInt64 = 1) {
        store(load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }
}
