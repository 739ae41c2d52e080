import StorePlatform
import StoreWire
import Synchronization

/// Writes analytics lines on a thread of its own, so that neither a slow disk nor a full pipe ever
/// holds up the Core.
///
/// The queue is bounded, in events and in bytes: an event that does not fit is counted in
/// ``droppedTotal``, as is one whose line can't be written. The log has a line when losing begins
/// and when it is over.
package final class AnalyticsWriter: Sendable {
    /// The most events that wait to be written.
    package static let queueEventsMax = 65_536
    /// The most bytes that they have; one event alone may have more.
    package static let queueBytesMax = 32 << 20
    /// The most memory that is kept for the next write.
    package static let bufferBytesMax = 1 << 20
    /// How many events are encoded before they are written with one call.
    package static let batchEventsMax = 1_024
    /// How long a stop waits while nothing at all is taken: for a full pipe without a reader.
    package static let stuckSecondsMax = 2.0

    fileprivate struct Queue: WorkQueue {
        var events: [QueuedEvent] = []
        /// How many events wait, with those that are being written, and their bytes.
        var count = 0
        var bytes = 0
        /// Since the start, those that did not fit among them.
        var offered: UInt64 = 0
        var reopen = false

        var isEmpty: Bool { events.isEmpty && !reopen }

        mutating func take() -> (events: [QueuedEvent], reopen: Bool) {
            defer {
                events = []
                reopen = false
            }
            return (events, reopen)
        }
    }

    private let worker = Worker("analytics", queue: Queue())
    private let dropped = Atomic<UInt64>(0)
    private let written = Atomic<UInt64>(0)
    /// Counts the calls that wrote something.
    private let progress = Atomic<UInt64>(0)
    private let report = Locked(LossReport())
    private let logger: Logger

    /// Opens the file to append to, or standard output where there is no path, and starts the
    /// thread.
    ///
    /// - Throws: where the file can't be opened for appending.
    package init(
        path: String?,
        logger: Logger
    ) throws(AnalyticsOutputError) {
        self.logger = logger
        let descriptor = try AnalyticsOutput.open(path)
        worker.start { [self] worker in
            run(worker, AnalyticsOutput(path: path, descriptor: descriptor))
        }
    }

    /// Events that did not fit or could not be written, since the start.
    package var droppedTotal: UInt64 { dropped.load(ordering: .relaxed) }
    /// Lines written since the start.
    package var writtenTotal: UInt64 { written.load(ordering: .relaxed) }

    /// Takes one event, or counts it as dropped where the queue is full. Any thread; never waits.
    /// The encoder is that of the store which has applied the action.
    ///
    /// What an action declares is encoded here: only then is it known how much memory it takes.
    package func offer(_ event: AnalyticsEvent, _ encoder: CloudEventEncoder) {
        let hasRoom = worker.withQueue { queue in
            queue.offered += 1
            return queue.hasRoom(for: 1)
        }
        guard hasRoom else { return drop(1, because: "the queue is full") }
        let queued: QueuedEvent
        do {
            queued = try QueuedEvent(event, encoder)
        } catch {
            return drop(1, because: "an event of '\(event.type)' has no JSON form")
        }
        let fits = worker.post { queue in
            guard queue.hasRoom(for: queued.bytes) else { return false }
            queue.events.append(queued)
            queue.count += 1
            queue.bytes += queued.bytes
            return true
        }
        switch fits {
        case true?: break
        case false?: drop(1, because: "the queue is full")
        case nil: drop(1, because: "the server stops")
        }
    }

    /// Opens the file anew before the next line, so that a rotated one is let go (SIGHUP).
    package func reopen() {
        worker.post { $0.reopen = true }
    }

    /// Writes what waits and ends the thread; gives up at the deadline, or as soon as nothing is
    /// taken for ``stuckSecondsMax``.
    package func close(seconds: Double) {
        let deadline = Deadline(seconds: seconds)
        var taken: UInt64
        var isDone = false
        repeat {
            taken = progress.load(ordering: .relaxed)
            isDone = worker.close(seconds: min(Self.stuckSecondsMax, deadline.left))
        } while !isDone && deadline.left > 0 && progress.load(ordering: .relaxed) != taken
        let lost = worker.withQueue { $0.offered } - writtenTotal
        if lost > 0 {
            let end = isDone ? "" : ", the last of them because nothing takes them"
            logger.warning(.analyticsLost, "\(lost) analytics events are lost in all\(end)")
        }
    }
}

extension AnalyticsWriter {
    private func run(_ worker: Worker<Queue>, _ output: consuming AnalyticsOutput) {
        var bytes: [UInt8] = []
        while let (events, reopen) = worker.next() {
            if reopen {
                do {
                    try output.reopen()
                } catch {
                    logger.error(
                        .analyticsFailed,
                        "--analytics: \(error); lines go on into the file that was open"
                    )
                }
            }
            var rest = events[...]
            while !rest.isEmpty {
                let batch = rest.prefix(Self.batchEventsMax)
                rest = rest.dropFirst(batch.count)
                write(batch, &bytes, to: output)
                let written = batch.reduce(0) { $0 + $1.bytes }
                worker.withQueue { queue in
                    queue.count -= batch.count
                    queue.bytes -= written
                }
                if bytes.capacity > Self.bufferBytesMax { bytes = [] }
            }
        }
    }

    private func write(
        _ events: ArraySlice<QueuedEvent>,
        _ bytes: inout [UInt8],
        to output: borrowing AnalyticsOutput
    ) {
        bytes.removeAll(keepingCapacity: true)
        var lines = 0
        for event in events {
            do {
                bytes += try event.made()
                lines += 1
            } catch {
                drop(1, because: "an event of '\(event.event.type)' has no JSON form")
            }
        }
        let (whole, failure) = output.write(bytes) { progress.add(1, ordering: .relaxed) }
        guard let failure else {
            written.add(UInt64(lines), ordering: .relaxed)
            if report.withLock({ $0.wrote() }) {
                logger.notice(
                    .analyticsWritten,
                    "analytics are written again; \(droppedTotal) events are lost so far"
                )
            }
            return
        }
        let through = bytes[..<whole].count { $0 == UInt8(ascii: "\n") }
        written.add(UInt64(through), ordering: .relaxed)
        drop(lines - through, because: failure)
    }

    /// Counts lost events, and writes a line where the log has had none for a while.
    private func drop(_ count: Int, because reason: String) {
        let total = dropped.add(UInt64(count), ordering: .relaxed).newValue
        if report.withLock({ $0.lost(at: .now) }) {
            logger.warning(
                .analyticsLost,
                "analytics events are being lost, \(total) so far: \(reason)"
            )
        }
    }
}

extension AnalyticsWriter.Queue {
    /// Whether an event of so many bytes may wait.
    fileprivate func hasRoom(for bytes: Int) -> Bool {
        guard count < AnalyticsWriter.queueEventsMax else { return false }
        return count == 0 || self.bytes + bytes <= AnalyticsWriter.queueBytesMax
    }
}

/// An event that waits to be written.
private struct QueuedEvent: Sendable {
    let event: AnalyticsEvent
    private let encoder: CloudEventEncoder
    /// Its line, where the action declares something; else that is short, and made when it is
    /// written.
    private let line: [UInt8]?
    /// About what it takes in memory.
    let bytes: Int

    init(_ event: AnalyticsEvent, _ encoder: CloudEventEncoder) throws(JSONError) {
        line = event.record == nil ? nil : try encoder.line(for: event)
        self.event = event.withoutRecord
        self.encoder = encoder
        bytes = MemoryLayout<QueuedEvent>.stride + event.type.utf8.count + (line?.count ?? 0)
    }

    func made() throws(JSONError) -> [UInt8] {
        if let line { return line }
        return try encoder.line(for: event)
    }
}
