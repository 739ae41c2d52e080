import StorePlatform
import Synchronization

/// The spans that wait to be exported: at most so many, and one that does not fit is dropped and
/// counted.
package final class SpanQueue: Sendable {
    /// The most spans that wait: some 8 MB of them.
    package static let spansMax = 8_192

    private struct State: Sendable {
        var spans: [Span] = []
        var isClosed = false
    }

    private let spansMax: Int
    private let batchMax: Int
    private let state = Locked(State())
    private let came = TimedSemaphore()
    private let dropped = Atomic<UInt64>(0)

    /// Holds `spansMax` spans at the most, of which `batchMax` are taken at a time.
    package init(spansMax: Int = SpanQueue.spansMax, batchMax: Int) {
        self.spansMax = spansMax
        self.batchMax = batchMax
    }

    /// Spans that did not fit, since the start.
    package var droppedTotal: UInt64 { dropped.load(ordering: .relaxed) }

    /// How many spans wait.
    package var count: Int { state.withLock { $0.spans.count } }

    /// Takes a span, or drops it. Any thread; never waits. It makes a system call where the first
    /// span comes, and where a batch is full.
    package func offer(_ span: Span) {
        let (fits, count) = state.withLock { state -> (Bool, Int) in
            guard !state.isClosed, state.spans.count < spansMax else { return (false, 0) }
            state.spans.append(span)
            return (true, state.spans.count)
        }
        guard fits else {
            dropped.add(1, ordering: .relaxed)
            return
        }
        if count == 1 || count == batchMax { came.signal() }
    }

    /// Waits for spans, and takes them as soon as a batch is full, or so many seconds after the
    /// first. Returns none once the queue is closed and empty. One thread calls this.
    package func next(within seconds: Double) -> [Span] {
        while true {
            let (isEmpty, isClosed) = state.withLock { ($0.spans.isEmpty, $0.isClosed) }
            if !isEmpty { break }
            if isClosed { return [] }
            came.wait()
        }
        let deadline = Deadline(seconds: seconds)
        while !deadline.isOver, state.withLock({ !$0.isClosed && $0.spans.count < batchMax }) {
            _ = came.wait(seconds: deadline.left)
        }
        return state.withLock { state in
            defer { state.spans.removeFirst(min(batchMax, state.spans.count)) }
            return Array(state.spans.prefix(batchMax))
        }
    }

    /// Takes no more spans, and lets what waits be taken at once.
    package func close() {
        state.withLock { $0.isClosed = true }
        came.signal()
    }

    /// Drops what waits. Returns how many spans that were.
    package func removeAll() -> Int {
        state.withLock { state in
            defer { state.spans = [] }
            return state.spans.count
        }
    }
}
