import StoreTestSupport
import Testing

@testable import StoreHTTPTransport

@Suite struct TimerHeapTests {
    private final class Held {}

    @Test func `values come in the order of their moments, and no value before its moment`() {
        var heap = TimerHeap<String>()
        _ = heap.insert("c", due: 3)
        _ = heap.insert("a", due: 1)
        _ = heap.insert("b", due: 2)
        #expect(heap.nextDueTime == 1)
        #expect(heap.popDue(at: 0.5) == nil)
        #expect(heap.popDue(at: 2) == "a")
        #expect(heap.popDue(at: 2) == "b")
        #expect(heap.popDue(at: 2) == nil)
        #expect(heap.popDue(at: 3) == "c")
        #expect(heap.isEmpty && heap.nextDueTime == nil)
    }

    @Test func `values of one moment come in the order in which they were added`() {
        var heap = TimerHeap<Int>()
        for number in 0..<100 { _ = heap.insert(number, due: 7) }
        #expect((0..<100).map { _ in heap.popDue(at: 7) } == Array(0..<100))
    }

    @Test func `a value that is removed is released at once, and removed once`() {
        var heap = TimerHeap<Held>()
        weak var held: Held?
        let id: TimerHeap<Held>.ID
        do {
            let value = Held()
            held = value
            id = heap.insert(value, due: 60)
        }
        #expect(held != nil && heap.count == 1)
        do { #expect(heap.remove(id) != nil) }
        #expect(held == nil && heap.isEmpty)
        #expect(heap.remove(id) == nil)
    }

    @Test func `the name of a removed value names no later value`() {
        var heap = TimerHeap<String>()
        let first = heap.insert("first", due: 1)
        #expect(heap.popDue(at: 1) == "first")
        _ = heap.insert("second", due: 2)
        #expect(heap.remove(first) == nil)
        #expect(heap.popDue(at: 2) == "second")
    }

    @Test(arguments: [1, 2, 3, 4])
    func `values come in order after any additions and removals`(seed: UInt64) {
        var numbers = SplitMix(seed: seed)
        var heap = TimerHeap<Int>()
        var expected: [(due: Double, value: Int, id: TimerHeap<Int>.ID)] = []
        for value in 0..<5_000 {
            switch numbers.next(below: 5) {
            case 0 where !expected.isEmpty:
                let place = numbers.next(below: expected.count)
                #expect(heap.remove(expected[place].id) == expected[place].value, "seed \(seed)")
                expected.remove(at: place)
            case 1 where !expected.isEmpty:
                let first = expected.indices.min {
                    (expected[$0].due, expected[$0].value) < (expected[$1].due, expected[$1].value)
                }
                guard let first else { continue }
                #expect(heap.popDue(at: .infinity) == expected[first].value, "seed \(seed)")
                expected.remove(at: first)
            default:
                let due = Double(numbers.next(below: 100))
                expected.append((due, value, heap.insert(value, due: due)))
            }
            #expect(heap.count == expected.count && heap.nextDueTime == expected.map(\.due).min())
        }
        let rest = expected.sorted { ($0.due, $0.value) < ($1.due, $1.value) }.map(\.value)
        #expect(rest.map { _ in heap.popDue(at: .infinity) } == rest)
    }
}
