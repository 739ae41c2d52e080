import Testing

@testable import StoreCore

@Suite struct RingTests {
    private final class Held {}

    @Test func `the first element in is the first element out, after many rounds`() {
        var ring = Ring<Int>()
        var first = 0
        for number in 0..<10_000 {
            ring.append(number)
            if number % 3 != 0 {
                #expect(ring.popFirst() == first)
                first += 1
            }
            #expect(ring.count == number + 1 - first)
            #expect(ring[0] == (ring.isEmpty ? nil : first))
            #expect(ring[ring.count - 1] == (ring.isEmpty ? nil : number))
        }
        while let next = ring.popFirst() {
            #expect(next == first)
            first += 1
        }
        #expect(first == 10_000 && ring.isEmpty && ring[0] == nil)
    }

    @Test func `a removed element is released at once`() {
        var ring = Ring<Held>()
        weak var held: Held?
        do {
            let value = Held()
            held = value
            ring.append(value)
            ring.append(Held())
        }
        #expect(held != nil)
        do { #expect(ring.popFirst() != nil) }
        #expect(held == nil && ring.count == 1)
    }
}
