import Synchronization

/// The numbers of exported and failed spans since the start. ``SpanQueue`` counts the spans that
/// did not fit.
package final class SpanCounts: Sendable {
    private let exported = Atomic<UInt64>(0)
    private let failed = Atomic<UInt64>(0)

    /// The number of spans that a collector has taken.
    package var exportedTotal: UInt64 { exported.load(ordering: .relaxed) }
    /// The number of spans that the collector refused, or did not take in time.
    package var failedTotal: UInt64 { failed.load(ordering: .relaxed) }

    package func exported(_ count: Int) { exported.add(UInt64(count), ordering: .relaxed) }

    package func failed(_ count: Int) { failed.add(UInt64(count), ordering: .relaxed) }
}
