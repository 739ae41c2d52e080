import Synchronization

/// What became of spans, since the start. Those that did not fit are counted by ``SpanQueue``.
package final class SpanCounts: Sendable {
    private let exported = Atomic<UInt64>(0)
    private let failed = Atomic<UInt64>(0)

    /// Spans that a collector has taken.
    package var exportedTotal: UInt64 { exported.load(ordering: .relaxed) }
    /// Spans that no collector has taken: it refused them, or could not be reached for long enough.
    package var failedTotal: UInt64 { failed.load(ordering: .relaxed) }

    package func exported(_ count: Int) { exported.add(UInt64(count), ordering: .relaxed) }

    package func failed(_ count: Int) { failed.add(UInt64(count), ordering: .relaxed) }
}
