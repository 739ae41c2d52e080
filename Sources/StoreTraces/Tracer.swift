import Synchronization

/// The object that decides which traces are exported, and takes their spans. A server that exports
/// no traces has no tracer.
package final class Tracer: Sendable {
    package let queue: SpanQueue
    package let counts = SpanCounts()
    /// The bound of the random numbers: a new trace is exported if its number is below this.
    private let threshold: Atomic<UInt64>
    /// The state of the random numbers for this decision. The names of traces and spans come from a
    /// better generator.
    private let dice = Atomic<UInt64>(.random(in: .min ... .max))

    /// Makes a tracer that exports the share `ratio` of all new traces, 0 to 1.
    package init(_ queue: SpanQueue, ratio: Double) {
        self.queue = queue
        threshold = Atomic(Self.threshold(of: ratio))
    }

    /// Sets the share of new traces, 0 to 1, that are exported from now on. Any thread may call it.
    /// Returns true if the share has changed.
    @discardableResult
    package func sample(ratio: Double) -> Bool {
        let threshold = Self.threshold(of: ratio)
        return self.threshold.exchange(threshold, ordering: .relaxed) != threshold
    }

    /// Begins the span of a request; `nil` if its trace is not sampled. With a context, the span is
    /// within the context's trace. Else the ratio decides whether a new trace begins. Any thread
    /// may call it.
    package func begin(in context: SpanContext?) -> Span.Identity? {
        if let context { return context.isSampled ? .init(continuing: context) : nil }
        return next() < threshold.load(ordering: .relaxed) ? .root() : nil
    }

    /// Begins a span within the span of this server that `traceparent` names. `nil` if the trace is
    /// not sampled, or if there is no valid `traceparent`. Any thread may call it.
    package func begin(within traceparent: String?) -> Span.Identity? {
        guard let traceparent, let context = SpanContext(traceparent: traceparent.utf8),
            context.isSampled
        else { return nil }
        return .init(continuing: context, isRemote: false)
    }

    /// Takes a span that has ended. Any thread may call it; it never waits.
    package func record(_ span: Span) { queue.offer(span) }

    /// Returns the next number of SplitMix64, which costs an addition and some shifts.
    private func next() -> UInt64 {
        var number = dice.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        return number ^ (number >> 31)
    }

    private static func threshold(of ratio: Double) -> UInt64 {
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
