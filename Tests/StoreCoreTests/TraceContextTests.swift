import StoreCore
import Testing

@Suite struct TraceContextTests {
    private let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test(arguments: [
        (nil, "{\"traceparent\":\"P\"}"),
        ("{}", "{\"traceparent\":\"P\"}"),
        ("{ }", "{\"traceparent\":\"P\"}"),
        ("{ \"a\":1}", "{\"traceparent\":\"P\",\"a\":1}"),
    ])
    func `a meta gets the trace as its first member, and gives it back`(
        meta: String?,
        expected: String
    ) {
        let made = TraceContext.meta(parent, before: meta.map { Array($0.utf8) })
        #expect(
            String(decoding: made, as: UTF8.self)
                == expected.split(separator: "P").joined(separator: parent)
        )
        #expect(TraceContext.traceparent(in: made) == parent)
    }

    @Test(arguments: ["", "{}", "{\"traceparent\":\"", "{\"traceparent\":\"00-\"}", "{\"a\":1}"])
    func `a meta without a trace has none`(meta: String) {
        #expect(TraceContext.traceparent(in: Array(meta.utf8)) == nil)
        #expect(TraceContext.traceparent(in: nil) == nil)
    }

    @Test func `a trace is hexadecimal, in small letters, and no zero`() {
        #expect(TraceContext.isTraceparent(parent.utf8))
        for place in parent.utf8.indices {
            for wrong in [UInt8(ascii: "g"), UInt8(ascii: "A"), UInt8(ascii: "\"")] {
                var bytes = Array(parent.utf8)
                bytes[parent.utf8.distance(from: parent.utf8.startIndex, to: place)] = wrong
                #expect(!TraceContext.isTraceparent(bytes))
            }
        }
    }
}
