import StoreTraces
import Testing

@Suite struct SpanContextTests {
    private let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func `a traceparent is read as it is written`() throws {
        let context = try #require(SpanContext(traceparent: parent.utf8))
        #expect(context.trace.text == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(context.spanID.hex == "00f067aa0ba902b7")
        #expect(context.isSampled)
    }

    @Test(arguments: [("00", false), ("01", true), ("02", false), ("03", true), ("ff", true)])
    func `the lowest flag decides if a trace is sampled`(flags: String, isSampled: Bool) {
        let context = SpanContext(traceparent: (parent.dropLast(2) + flags).utf8)
        #expect(context?.isSampled == isSampled)
    }

    @Test(arguments: [
        "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
        "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
    ])
    func `a text that is no traceparent is refused`(text: String) {
        #expect(SpanContext(traceparent: text.utf8) == nil)
    }

    @Test func `a span's traceparent lets others go on with its trace`() throws {
        let context = try #require(SpanContext(traceparent: parent.utf8))
        let own = Span.Identity(continuing: context)
        #expect(own.trace == context.trace && own.parentID == context.spanID && own.isParentRemote)
        let child = own.child()
        #expect(child.parentID == own.id && child.trace == own.trace && !child.isParentRemote)
        let named = try #require(SpanContext(traceparent: child.traceparent.utf8))
        #expect(named.spanID == child.id && named.trace == own.trace && named.isSampled)
        let root = Span.Identity.root()
        #expect(root.parentID == 0 && root.trace != own.trace)
    }
}
