import Synchronization

/// Decides which traces are exported, and takes their spans. There is none where no traces are
/// exported.
package final class Tracer: Sendable {
    /// Where the spans wait.
    package let queue: SpanQueue
    /// What became of them.
    package let counts = SpanCounts()
    /// A new trace is exported where a random number is below this.
    private let threshold: Atomic<UInt64>
    /// The state of the random numbers that decide; traces and spans are named by better ones.
    private let dice = Atomic<UInt64>(.random(in: .min ... .max))

    /// Exports `ratio` of all new traces, 0 to 1.
    package init(_ queue: SpanQueue, ratio: Double) {
        self.queue = queue
        threshold = Atomic(Self.threshold(of: ratio))
    }

    /// From now on this many of all new traces are exported, 0 to 1. Any thread. Returns whether
    /// that is another number.
    @discardableResult
    package func sample(ratio: Double) -> Bool {
        let threshold = Self.threshold(of: ratio)
        return self.threshold.exchange(threshold, ordering: .relaxed) != threshold
    }

    /// The span of a request: within the trace that it names, where that is sampled, or the first
    /// of a new one, where the ratio has it sampled; else `nil`. Any thread.
    package func begin(in context: SpanContext?) -> Span.Identity? {
        if let context { return context.isSampled ? .init(continuing: context) : nil }
        return next() < threshold.load(ordering: .relaxed) ? .root() : nil
    }

    /// A span within one of this server's that a `traceparent` names; `nil` where that is not
    /// sampled, or is none. Any thread.
    package func begin(within traceparent: String?) -> Span.Identity? {
        guard let traceparent, let context = SpanContext(traceparent: traceparent.utf8),
            context.isSampled
        else { return nil }
        return .init(continuing: context, isRemote: false)
    }

    /// Takes a span that has ended. Any thread; never waits.
    package func record(_ span: Span) { queue.offer(span) }

    /// The next number of SplitMix64, which costs an addition and some shifts.
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

/// What a store's spans are recorded with: the tracer of the process, and what all of them say.
package struct StoreTracing: Sendable {
    package let tracer: Tracer
    /// The store's name, where there are several, and its epoch.
    package let attributes: [Span.Attribute]

    package init(_ tracer: Tracer, _ attributes: [Span.Attribute]) {
        self.tracer = tracer
        self.attributes = attributes
    }
}
