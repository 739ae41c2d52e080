import StoreTraceExport
import StoreTraces
import Testing

@Suite struct SpanEncoderTests {
    private func encoded(_ spans: [Span], offset: Int64 = 0) -> String {
        let encoder = SpanEncoder(
            resourceAttributes: [.init("service.name", "shop")],
            scopeVersion: "1.2"
        )
        return String(decoding: encoder.body(spans, wallOffsetNanoseconds: offset), as: UTF8.self)
    }

    private func time(_ nanoseconds: UInt64) -> SpanTime { SpanTime(steady: nanoseconds) }

    @Test func `a batch is one request of OTLP`() throws {
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let context = try #require(SpanContext(traceparent: parent.utf8))
        let own = Span.Identity(continuing: context)
        let span = Span(
            own,
            .server,
            "POST /dispatch",
            from: time(5),
            to: time(9),
            [.init("url.path", "/\"x\""), .init("n", Int64.max), .init("b", isTrue: true)],
            events: [.init("durable", at: time(7))],
            isError: true
        )
        #expect(
            encoded([span], offset: 1_795_000_000_000_000_000) == """
                {"resourceSpans":[{"resource":{"attributes":\
                [{"key":"service.name","value":{"stringValue":"shop"}}]},\
                "scopeSpans":[{"scope":{"name":"store-server","version":"1.2"},"spans":[{\
                "traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"\(own.id.hex)",\
                "parentSpanId":"00f067aa0ba902b7","flags":769,"name":"POST /dispatch","kind":2,\
                "startTimeUnixNano":"1795000000000000005",\
                "endTimeUnixNano":"1795000000000000009",\
                "attributes":[{"key":"url.path","value":{"stringValue":"/\\"x\\""}},\
                {"key":"n","value":{"intValue":"9223372036854775807"}},\
                {"key":"b","value":{"boolValue":true}}],\
                "events":[{"timeUnixNano":"1795000000000000007","name":"durable"}],\
                "status":{"code":2}}]}]}]}
                """
        )
    }

    @Test func `the first span of a trace has no parent, and a good span no status`() {
        let text = encoded([Span(.root(), .internal, "a", from: time(1), to: time(1), [])])
        #expect(!text.contains("parentSpanId") && !text.contains("events"))
        #expect(text.contains("\"flags\":257") && text.contains("\"status\":{}"))
        #expect(text.contains("\"kind\":1"))
    }
}
