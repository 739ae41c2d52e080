/// A queue in memory that is used round and round: what leaves at the front is released at once,
/// and moves nothing else.
struct Ring<Element> {
    /// As many as a power of two.
    private var slots: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The element at a place; the first is at 0.
    subscript(index: Int) -> Element? {
        0..<count ~= index ? slots[(head + index) & (slots.count - 1)] : nil
    }

    mutating func append(_ element: Element) {
        if count == slots.count { resize(to: max(16, 2 * count)) }
        slots[(head + count) & (slots.count - 1)] = element
        count += 1
    }

    /// Changes the first element where it lies.
    mutating func changeFirst<Result>(_ change: (inout Element) -> Result) -> Result? {
        guard count > 0, var first = slots[head].take() else { return nil }
        defer { slots[head] = first }
        return change(&first)
    }

    /// Takes the first element; its place goes back to the system where most of the memory is
    /// unused.
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
