import StorePlatform
import Synchronization

/// The spans that wait for their export. The queue is bounded: a full queue drops and counts
/// further spans.
package final class SpanQueue: Sendable {
    /// The maximum number of spans that wait. This number of spans takes about 8 MB.
    package static let spansMax = 8_192

    private struct State: Sendable {
        var spans: [Span] = []
        var isClosed = false
    }

    private let spansMax: Int
    private let batchSpansMax: Int
    private let state = Locked(State())
    private let spanSignal = TimedSemaphore()
    private let droppedCount = Atomic<UInt64>(0)

    /// Makes a queue of at most `spansMax` spans. A call of ``takeBatch(within:)`` takes at most
    /// `batchSpansMax` spans.
    package init(spansMax: Int = SpanQueue.spansMax, batchSpansMax: Int) {
        self.spansMax = spansMax
        self.batchSpansMax = batchSpansMax
    }

    /// The number of spans since the start that the queue dropped because it was full or closed.
    package var droppedTotal: UInt64 { droppedCount.load(ordering: .relaxed) }

    package var count: Int { state.withLock { $0.spans.count } }

    /// Queues a span, or drops it if the queue is full or closed. Any thread may call this
    /// function, which never waits. Only the first span and the last span of a batch wake the
    /// exporting thread with a system call.
    package func offer(_ span: Span) {
        let (fits, count) = state.withLock { state -> (Bool, Int) in
            guard !state.isClosed, state.spans.count < spansMax else { return (false, 0) }
            state.spans.append(span)
            return (true, state.spans.count)
        }
        guard fits else {
            droppedCount.add(1, ordering: .relaxed)
            return
        }
        if count == 1 || count == batchSpansMax { spanSignal.signal() }
    }

    /// Waits for spans. Takes them when a batch is full, or `seconds` after the function has found
    /// the first span. Returns no spans if the queue is closed and empty. Only one thread may call
    /// this function.
    package func takeBatch(within seconds: Double) -> [Span] {
        while true {
            let (isEmpty, isClosed) = state.withLock { ($0.spans.isEmpty, $0.isClosed) }
            if !isEmpty { break }
            if isClosed { return [] }
            spanSignal.wait()
        }
        let deadline = Deadline(seconds: seconds)
        while !deadline.isOver, state.withLock({ !$0.isClosed && $0.spans.count < batchSpansMax }) {
            _ = spanSignal.wait(seconds: deadline.secondsLeft)
        }
        return state.withLock { state in
            defer { state.spans.removeFirst(min(batchSpansMax, state.spans.count)) }
            return Array(state.spans.prefix(batchSpansMax))
        }
    }

    /// Closes the queue for further spans. ``takeBatch(within:)`` then returns the waiting spans at
    /// once.
    package func close() {
        state.withLock { $0.isClosed = true }
        spanSignal.signal()
    }

    /// Drops the waiting spans. Returns the number of dropped spans.
    package func removeAll() -> Int {
        state.withLock { state in
            defer { state.spans = [] }
            return state.spans.count
        }
    }
}

/// The numbers of exported and failed spans since the start. ``SpanQueue`` counts the spans that it
/// dropped.
package final class SpanCounts: Sendable {
    private let exportedCount = Atomic<UInt64>(0)
    private let failedCount = Atomic<UInt64>(0)

    /// The number of spans that a collector has taken.
    package var exportedTotal: UInt64 { exportedCount.load(ordering: .relaxed) }
    /// The number of spans that the collector refused, or did not take in time.
    package var failedTotal: UInt64 { failedCount.load(ordering: .relaxed) }

    package func countExported(_ count: Int) {
        exportedCount.add(UInt64(count), ordering: .relaxed)
    }

    package func countFailed(_ count: Int) { failedCount.add(UInt64(count), ordering: .relaxed) }
}
