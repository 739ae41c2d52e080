import StoreJSON
import StorePlatform
import Synchronization

/// Writes analytics lines on its own thread, so that a slow disk or a full pipe never holds up the
/// Core.
///
/// The queue has a bound for its events and for their bytes. ``droppedTotal`` counts the events
/// that do not fit or cannot be written. The log has a line when losses begin and when they end.
package final class AnalyticsWriter: Sendable {
    /// The maximum number of events that wait to be written.
    package static let queueEventsMax = 65_536
    /// The maximum number of bytes of the waiting events; a single event may have more.
    package static let queueBytesMax = 32 << 20
    /// The largest buffer that is kept for the next write.
    package static let keptBufferBytesMax = 1 << 20
    /// The maximum number of events that are encoded for one write.
    package static let batchEventsMax = 1_024
    /// The maximum time, in seconds, that a stop waits without progress, because a full pipe may
    /// have no reader.
    package static let stuckSecondsMax = 2.0

    fileprivate struct Queue: WorkQueue {
        var events: [QueuedEvent] = []
        /// The number of events that wait or are being written; ``unwrittenBytes`` is their size.
        var unwrittenCount = 0
        var unwrittenBytes = 0
        /// The number of all events since the start, including events that did not fit.
        var offeredTotal: UInt64 = 0
        var needsReopen = false

        var isEmpty: Bool { events.isEmpty && !needsReopen }

        /// Returns true if an event of this size may wait.
        func hasRoom(for bytes: Int) -> Bool {
            unwrittenCount < queueEventsMax
                && (unwrittenCount == 0 || self.unwrittenBytes + bytes <= queueBytesMax)
        }

        mutating func take() -> (events: [QueuedEvent], needsReopen: Bool) {
            defer {
                events = []
                needsReopen = false
            }
            return (events, needsReopen)
        }
    }

    private let worker = Worker("analytics", queue: Queue())
    private let droppedEventsCount = Atomic<UInt64>(0)
    private let writtenEventsCount = Atomic<UInt64>(0)
    /// The number of writes that wrote some bytes.
    private let writesCount = Atomic<UInt64>(0)
    private let lossReportPace = Locked(LossReportPace())
    private let logger: Logger

    /// Opens the file for appending, or standard output if there is no path, and starts the thread.
    package init(path: String?, logger: Logger) throws(AnalyticsOutputError) {
        self.logger = logger
        let descriptor = try AnalyticsOutput.open(path)
        worker.start { [self] worker in
            run(worker, AnalyticsOutput(path: path, descriptor: descriptor))
        }
    }

    /// The number of events since the start that did not fit or could not be written.
    package var droppedTotal: UInt64 { droppedEventsCount.load(ordering: .relaxed) }
    /// The number of lines written since the start.
    package var writtenTotal: UInt64 { writtenEventsCount.load(ordering: .relaxed) }

    /// Queues an event, or counts it as dropped if the queue is full. Any thread may call this
    /// function, which never waits. The encoder belongs to the store that has applied the action.
    /// The queue has a bound on bytes, so this call encodes the declared value to find its size.
    package func offer(_ event: AnalyticsEvent, _ encoder: CloudEventEncoder) {
        let hasRoom = worker.withQueue { queue in
            queue.offeredTotal += 1
            return queue.hasRoom(for: 1)
        }
        guard hasRoom else { return drop(1, because: "the queue is full") }
        let queued: QueuedEvent
        do { queued = try QueuedEvent(event, encoder) } catch {
            return drop(1, because: "an event of '\(event.type)' has no JSON form")
        }
        let fits = worker.post { queue in
            guard queue.hasRoom(for: queued.memoryBytes) else { return false }
            queue.events.append(queued)
            queue.unwrittenCount += 1
            queue.unwrittenBytes += queued.memoryBytes
            return true
        }
        switch fits {
        case true?: break
        case false?: drop(1, because: "the queue is full")
        case nil: drop(1, because: "the server stops")
        }
    }

    /// Opens the file again before the next line, so that a rotated file is closed (SIGHUP).
    package func reopen() { worker.post { $0.needsReopen = true } }

    /// Writes the waiting events and ends the thread. Gives up at the deadline, or after
    /// ``stuckSecondsMax`` without any progress.
    package func close(seconds: Double) {
        let deadline = Deadline(seconds: seconds)
        var taken: UInt64
        var isDone = false
        repeat {
            taken = writesCount.load(ordering: .relaxed)
            isDone = worker.close(seconds: min(Self.stuckSecondsMax, deadline.secondsLeft))
        } while !isDone && deadline.secondsLeft > 0 && writesCount.load(ordering: .relaxed) != taken
        let lost = worker.withQueue { $0.offeredTotal } - writtenTotal
        if lost > 0 {
            let end = isDone ? "" : ", the last of them because the output takes no bytes"
            logger.warning(.analyticsLost, "\(lost) analytics events are lost in all\(end)")
        }
    }

    private func run(_ worker: Worker<Queue>, _ output: consuming AnalyticsOutput) {
        var bytes: [UInt8] = []
        while let (events, needsReopen) = worker.next() {
            if needsReopen {
                do { try output.reopen() } catch {
                    logger.error(
                        .analyticsFailed,
                        "--analytics: \(error); lines are still written to the file that is open"
                    )
                }
            }
            var rest = events[...]
            while !rest.isEmpty {
                let batch = rest.prefix(Self.batchEventsMax)
                rest = rest.dropFirst(batch.count)
                write(batch, &bytes, to: output)
                let written = batch.reduce(0) { $0 + $1.memoryBytes }
                worker.withQueue { queue in
                    queue.unwrittenCount -= batch.count
                    queue.unwrittenBytes -= written
                }
                if bytes.capacity > Self.keptBufferBytesMax { bytes = [] }
            }
        }
    }

    private func write(
        _ events: ArraySlice<QueuedEvent>,
        _ bytes: inout [UInt8],
        to output: borrowing AnalyticsOutput
    ) {
        bytes.removeAll(keepingCapacity: true)
        var lineCount = 0
        for event in events {
            do {
                bytes += try event.encodedLine()
                lineCount += 1
            } catch { drop(1, because: "an event of '\(event.event.type)' has no JSON form") }
        }
        let (writtenByteCount, failure) = output.write(bytes) {
            writesCount.add(1, ordering: .relaxed)
        }
        guard let failure else {
            writtenEventsCount.add(UInt64(lineCount), ordering: .relaxed)
            if lossReportPace.withLock({ $0.noteSuccess() }) {
                logger.info(
                    .analyticsWritten,
                    "analytics are written again; \(droppedTotal) events are lost so far"
                )
            }
            return
        }
        let through = bytes[..<writtenByteCount].count { $0 == UInt8(ascii: "\n") }
        writtenEventsCount.add(UInt64(through), ordering: .relaxed)
        drop(lineCount - through, because: failure)
    }

    /// Counts lost events, and writes a line into the log, unless the log had such a line recently.
    private func drop(_ count: Int, because reason: String) {
        let total = droppedEventsCount.add(UInt64(count), ordering: .relaxed).newValue
        if lossReportPace.withLock({ $0.noteLoss(at: .now) }) {
            logger.warning(
                .analyticsLost,
                "analytics events are being lost, \(total) so far: \(reason)"
            )
        }
    }
}

private struct QueuedEvent: Sendable {
    let event: AnalyticsEvent
    private let encoder: CloudEventEncoder
    /// The encoded line if the action declares a value. Otherwise `nil`: the line is short, and is
    /// encoded just before it is written.
    private let line: [UInt8]?
    /// The approximate memory of the event, in bytes.
    let memoryBytes: Int

    init(_ event: AnalyticsEvent, _ encoder: CloudEventEncoder) throws(JSONError) {
        line = event.declaredValue == nil ? nil : try encoder.line(for: event)
        var event = event
        event.declaredValue = nil
        self.event = event
        self.encoder = encoder
        memoryBytes = MemoryLayout<QueuedEvent>.stride + event.type.utf8.count + (line?.count ?? 0)
    }

    func encodedLine() throws -> [UInt8] { try line ?? encoder.line(for: event) }
}

/// The pace of log lines about lost events. The log gets a line when losses begin, and a line when
/// they end, but at most two lines a minute.
package struct LossReportPace: Sendable {
    /// The shortest time between two lines about losses.
    static let quietSeconds = 60

    private var reportedAt: ContinuousClock.Instant?
    private var hasReportedLoss = false

    package init() {}

    /// Records a loss. Returns true if the log needs a line about the loss.
    package mutating func noteLoss(at now: ContinuousClock.Instant) -> Bool {
        if let reportedAt, reportedAt.duration(to: now) < .seconds(Self.quietSeconds) {
            return false
        }
        reportedAt = now
        hasReportedLoss = true
        return true
    }

    /// Records a success. Returns true if the log has a line about a loss and needs a line about
    /// the end of losses.
    package mutating func noteSuccess() -> Bool {
        defer { hasReportedLoss = false }
        return hasReportedLoss
    }
}
