import Synchronization

/// The object that decides which traces are exported, and queues the spans of these traces. A
/// server that exports no traces has no tracer.
package final class Tracer: Sendable {
    package let queue: SpanQueue
    package let counts = SpanCounts()
    /// The bound of the random numbers. A new trace is exported if its random number is below this
    /// bound.
    private let samplingThreshold: Atomic<UInt64>
    /// The state of the random number generator that decides about the export of new traces. The
    /// ids of traces and spans come from a better generator.
    private let randomState = Atomic<UInt64>(.random(in: .min ... .max))

    /// Makes a tracer that exports the share `ratio` of all new traces, 0 to 1.
    package init(_ queue: SpanQueue, ratio: Double) {
        self.queue = queue
        samplingThreshold = Atomic(Self.samplingThreshold(of: ratio))
    }

    /// Sets the share of new traces, 0 to 1, that are exported from now on. Returns true if the
    /// share has changed. Any thread may call this function.
    @discardableResult
    package func setRatio(_ ratio: Double) -> Bool {
        let threshold = Self.samplingThreshold(of: ratio)
        return self.samplingThreshold.exchange(threshold, ordering: .relaxed) != threshold
    }

    /// Begins the span of a request. With a context, the span is within the context's trace; the
    /// result is `nil` if that trace is not sampled. Without a context, the ratio decides if a new
    /// trace begins. Any thread may call this function.
    package func beginRequestSpan(in context: SpanContext?) -> Span.Identity? {
        if let context { return context.isSampled ? .init(continuing: context) : nil }
        return nextRandomNumber() < samplingThreshold.load(ordering: .relaxed) ? .root() : nil
    }

    /// Begins a span within another span of this server, which `traceparent` names. Returns `nil`
    /// if the trace is not sampled, or if `traceparent` is `nil` or invalid. Any thread may call
    /// this function.
    package func beginInnerSpan(within traceparent: String?) -> Span.Identity? {
        guard let traceparent, let context = SpanContext(traceparent: traceparent.utf8),
            context.isSampled
        else { return nil }
        return .init(continuing: context, isRemote: false)
    }

    /// Queues a span that has ended. Any thread may call this function, which never waits.
    package func record(_ span: Span) { queue.offer(span) }

    /// Returns the next number of SplitMix64, which costs an addition and some shifts.
    private func nextRandomNumber() -> UInt64 {
        var number = randomState.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        return number ^ (number >> 31)
    }

    private static func samplingThreshold(of ratio: Double) -> UInt64 {
        ratio < 1 ? UInt64(max(0, ratio) * 0x1p64) : .max
    }
}

/// The tracing of a store: the tracer of the process, and the attributes of all spans of the store.
package struct StoreTracing: Sendable {
    package let tracer: Tracer
    /// The store's name, if there are several stores, and its epoch.
    package let attributes: [Span.Attribute]

    package init(_ tracer: Tracer, _ attributes: [Span.Attribute]) {
        self.tracer = tracer
        self.attributes = attributes
    }
}
