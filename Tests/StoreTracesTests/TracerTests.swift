import StoreTraces
import Testing

@Suite struct TracerTests {
    private func tracer(_ ratio: Double) -> Tracer {
        Tracer(SpanQueue(batchSpansMax: 512), ratio: ratio)
    }

    private func context(_ flags: String) throws -> SpanContext {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-" + flags
        return try #require(SpanContext(traceparent: text.utf8))
    }

    @Test(arguments: [0.0, 0.5, 1.0])
    func `a trace of another program is exported if its flag is set`(ratio: Double) throws {
        let tracer = tracer(ratio)
        for _ in 0..<100 {
            #expect(
                tracer.beginRequestSpan(in: try context("01"))?.parentID == 0x00f0_67aa_0ba9_02b7
            )
            #expect(tracer.beginRequestSpan(in: try context("00")) == nil)
        }
    }

    @Test(arguments: [(0.0, 0...0), (0.25, 2_200...2_800), (1.0, 10_000...10_000)])
    func `the ratio of new traces is exported`(ratio: Double, counts: ClosedRange<Int>) {
        let tracer = tracer(1)
        tracer.setRatio(ratio)
        #expect(counts ~= (0..<10_000).count { _ in tracer.beginRequestSpan(in: nil) != nil })
    }

    @Test func `a later span is within its span if that span is exported`() throws {
        let tracer = tracer(1)
        let own = try #require(tracer.beginRequestSpan(in: nil))
        let within = try #require(tracer.beginInnerSpan(within: own.traceparent))
        #expect(within.parentID == own.id && within.trace == own.trace && !within.isParentRemote)
        #expect(tracer.beginInnerSpan(within: String(own.traceparent.dropLast()) + "0") == nil)
        #expect(
            tracer.beginInnerSpan(within: "nothing") == nil
                && tracer.beginInnerSpan(within: nil) == nil
        )
    }
}
