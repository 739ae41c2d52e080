/// A queue in a circular buffer. Removing the first element releases it at once and moves no other
/// element.
struct Ring<Element> {
    /// The slots; their number is zero or a power of two.
    private var slots: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The element at an index; the first has the index 0. `nil` if there is no such element.
    subscript(index: Int) -> Element? {
        0..<count ~= index ? slots[(head + index) & (slots.count - 1)] : nil
    }

    mutating func append(_ element: Element) {
        if count == slots.count { resize(to: max(16, 2 * count)) }
        slots[(head + count) & (slots.count - 1)] = element
        count += 1
    }

    /// Changes the first element in place, and returns the result of `change`; `nil` if there is
    /// none.
    mutating func changeFirst<Result>(_ change: (inout Element) -> Result) -> Result? {
        guard count > 0, var first = slots[head].take() else { return nil }
        defer { slots[head] = first }
        return change(&first)
    }

    /// Removes the first element and returns it. If most slots are then unused, shrinks the buffer.
    @discardableResult
    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let first = slots[head].take()
        head = (head + 1) & (slots.count - 1)
        count -= 1
        if slots.count > 64, count < slots.count / 8 { resize(to: slots.count / 4) }
        return first
    }

    private mutating func resize(to capacity: Int) {
        var larger: [Element?] = []
        larger.reserveCapacity(capacity)
        // Elements are moved: a copy would retain each.
        for index in 0..<count { larger.append(slots[(head + index) & (slots.count - 1)].take()) }
        for _ in count..<capacity { larger.append(nil) }
        slots = larger
        head = 0
    }
}
