/// Values in the order of their due times: a binary heap from which any value can be removed.
///
/// Cost: O(log n) to add a value, to remove a value, and to take the first. A value that is removed
/// or taken is released at once. Values that are due at the same time keep the order in which they
/// were added.
package struct TimerHeap<Value> {
    /// The id of a value in the heap. When the value has left the heap, the id names no value.
    package struct ID: Equatable, Sendable {
        fileprivate let slot: Int32
        fileprivate let generation: UInt32
    }

    fileprivate struct Entry {
        let due: Double
        /// The number of values that had been added when this value was added, this value included.
        let order: UInt64
        let slot: Int32

        func isBefore(_ other: Entry) -> Bool {
            due < other.due || (due == other.due && order < other.order)
        }
    }

    fileprivate struct Slot {
        var value: Value?
        /// The index of the value's entry in the heap.
        var heapIndex: Int32
        /// The number of values that have left the slot.
        var generation: UInt32
    }

    /// The entries of the heap. No entry is before its parent, whose index is `(index - 1) / 2`.
    private var entries: [Entry] = []
    private var slots: [Slot] = []
    private var freeSlots: [Int32] = []
    private var addedCount: UInt64 = 0

    package init() {}

    package var count: Int { entries.count }
    package var isEmpty: Bool { entries.isEmpty }

    /// The time at which the first value is due; `nil` if the heap is empty.
    package var nextDueTime: Double? { entries.first?.due }

    package mutating func insert(_ value: Value, due: Double) -> ID {
        let slot = freeSlots.popLast() ?? Int32(slots.count)
        if slots.indices.contains(Int(slot)) {
            slots[Int(slot)].value = value
        } else {
            slots.append(Slot(value: value, heapIndex: 0, generation: 0))
        }
        addedCount &+= 1
        entries.append(Entry(due: due, order: addedCount, slot: slot))
        siftUp(from: entries.count - 1)
        return ID(slot: slot, generation: slots[Int(slot)].generation)
    }

    /// Removes a value before the value is due, and returns it. Returns `nil` if the value has left
    /// the heap already.
    @discardableResult
    package mutating func remove(_ id: ID) -> Value? {
        guard slots.indices.contains(Int(id.slot)), slots[Int(id.slot)].generation == id.generation
        else {
            return nil
        }
        return remove(at: Int(slots[Int(id.slot)].heapIndex))
    }

    /// Removes the first value if it is due, and returns it. Returns `nil` if no value is due.
    package mutating func popDue(at now: Double) -> Value? {
        guard let first = entries.first, first.due <= now else { return nil }
        return remove(at: 0)
    }

    private mutating func remove(at index: Int) -> Value? {
        let slot = entries[index].slot
        let last = entries.removeLast()
        if index < entries.count {
            entries[index] = last
            siftDown(from: siftUp(from: index))
        }
        freeSlots.append(slot)
        slots[Int(slot)].generation &+= 1
        return slots[Int(slot)].value.take()
    }

    /// Moves an entry up until the entry is not before its parent. Returns the entry's new index.
    @discardableResult
    private mutating func siftUp(from start: Int) -> Int {
        let entry = entries[start]
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard entry.isBefore(entries[parent]) else { break }
            put(entries[parent], at: place)
            place = parent
        }
        put(entry, at: place)
        return place
    }

    /// Moves an entry down until no child is before the entry.
    private mutating func siftDown(from start: Int) {
        let entry = entries[start]
        var place = start
        while true {
            var child = 2 * place + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1].isBefore(entries[child]) { child += 1 }
            guard entries[child].isBefore(entry) else { break }
            put(entries[child], at: place)
            place = child
        }
        put(entry, at: place)
    }

    private mutating func put(_ entry: Entry, at index: Int) {
        entries[index] = entry
        slots[Int(entry.slot)].heapIndex = Int32(index)
    }
}

extension TimerHeap: Sendable where Value: Sendable {}
extension TimerHeap.Slot: Sendable where Value: Sendable {}
