import StoreTraces
import Testing

@Suite struct SpanQueueTests {
    private func span(_ name: String = "a") -> Span {
        Span(.root(), .internal, name, from: .now, to: .now, [])
    }

    @Test func `spans beyond the bound are dropped and counted`() {
        let queue = SpanQueue(spansMax: 3, batchSpansMax: 2)
        for number in 0..<5 { queue.offer(span("\(number)")) }
        #expect(queue.count == 3 && queue.droppedTotal == 2)
        #expect(queue.takeBatch(within: 60).map(\.name) == ["0", "1"])
        queue.offer(span("5"))
        #expect(queue.takeBatch(within: 60).map(\.name) == ["2", "5"])
        #expect(queue.count == 0 && queue.droppedTotal == 2)
    }

    @Test func `a batch that is not full is taken when its time has come`() {
        let queue = SpanQueue(batchSpansMax: 10)
        queue.offer(span())
        #expect(queue.takeBatch(within: 0).count == 1)
    }

    @Test func `a closed queue gives its spans at once, and then nothing`() {
        let queue = SpanQueue(batchSpansMax: 2)
        for _ in 0..<3 { queue.offer(span()) }
        queue.close()
        queue.offer(span())
        #expect(queue.droppedTotal == 1)
        #expect(queue.takeBatch(within: 60).count == 2)
        #expect(queue.takeBatch(within: 60).count == 1)
        #expect(queue.takeBatch(within: 60).isEmpty)
    }

    @Test func `the rest of a closed queue can be dropped`() {
        let queue = SpanQueue(batchSpansMax: 2)
        queue.offer(span())
        queue.close()
        #expect(queue.removeAll() == 1 && queue.takeBatch(within: 60).isEmpty)
    }
}
