import Dispatch
import Glibc
import HTTPTransport
import Locks
import StoreCore
import Synchronization
import Wire

/// Writes analytics lines on a thread of its own, so that neither a slow disk nor a full pipe ever
/// holds up the Core.
///
/// The queue is bounded: an event that does not fit is counted in ``droppedTotal`` and its absence is
/// logged, as is one whose line can't be written.
final class AnalyticsWriter: Sendable {
    /// The most events that wait to be written.
    static let queueEventsMax = 65_536
    /// How many events are encoded before they are written with one call.
    static let batchEventsMax = 1_024

    private struct Queue {
        var events: [AnalyticsEvent] = []
        var reopen = false
        var closed = false
        var sleeping = false
    }

    private let queue = Locked(Queue())
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let dropped = Atomic<UInt64>(0)
    private let written = Atomic<UInt64>(0)
    private let encoder: CloudEventEncoder
    private let path: String?

    /// Opens the destination and starts the thread.
    ///
    /// - Parameter path: the file to append to; `nil` for standard output.
    /// - Throws: where the file can't be opened for appending.
    init(path: String?, encoder: CloudEventEncoder) throws(ConfigurationError) {
        self.path = path
        self.encoder = encoder
        let descriptor = try Self.open(path)
        SystemThread.start(name: "analytics") { [self] in run(descriptor) }
    }

    /// Events that did not fit or could not be written, since the start.
    var droppedTotal: UInt64 { dropped.load(ordering: .relaxed) }
    /// Lines written since the start.
    var writtenTotal: UInt64 { written.load(ordering: .relaxed) }

    /// Takes one event, or counts it as dropped where the queue is full. Any thread; never waits.
    func offer(_ event: AnalyticsEvent) {
        let (fits, sleeping) = queue.withLock { queue in
            guard queue.events.count < Self.queueEventsMax, !queue.closed else {
                return (false, false)
            }
            queue.events.append(event)
            defer { queue.sleeping = false }
            return (true, queue.sleeping)
        }
        if !fits { drop(1, because: "the queue is full") }
        if sleeping { wake.signal() }
    }

    /// Opens the file anew before the next line, so that a rotated one is let go (SIGHUP).
    func reopen() {
        signal { $0.reopen = true }
    }

    /// Writes what waits and ends the thread, or gives up at the deadline.
    func close(seconds: Int) {
        signal { $0.closed = true }
        if ended.wait(timeout: .now() + .seconds(seconds)) == .timedOut {
            Log.warning("analytics could not be written to the end in \(seconds) s")
        }
    }
}

extension AnalyticsWriter {
    private func signal(_ change: (inout Queue) -> Void) {
        let sleeping = queue.withLock { queue in
            change(&queue)
            defer { queue.sleeping = false }
            return queue.sleeping
        }
        if sleeping { wake.signal() }
    }

    private func run(_ first: CInt) {
        var descriptor = first
        var output: [UInt8] = []
        while true {
            let (events, reopen, closed) = next()
            if reopen { descriptor = reopened(descriptor) }
            var rest = events[...]
            while !rest.isEmpty {
                let batch = rest.prefix(Self.batchEventsMax)
                rest = rest.dropFirst(batch.count)
                write(batch, &output, to: descriptor)
            }
            if closed, events.isEmpty { break }
        }
        if path != nil { Glibc.close(descriptor) }
        ended.signal()
    }

    /// Takes what is queued; sleeps while there is nothing to do.
    private func next() -> (events: [AnalyticsEvent], reopen: Bool, closed: Bool) {
        while true {
            let work = queue.withLock { queue -> ([AnalyticsEvent], Bool, Bool)? in
                guard !queue.events.isEmpty || queue.reopen || queue.closed else {
                    queue.sleeping = true
                    return nil
                }
                defer {
                    queue.events = []
                    queue.reopen = false
                }
                return (queue.events, queue.reopen, queue.closed)
            }
            if let work { return work }
            wake.wait()
        }
    }

    private func write(
        _ events: ArraySlice<AnalyticsEvent>,
        _ output: inout [UInt8],
        to descriptor: CInt
    ) {
        output.removeAll(keepingCapacity: true)
        var lines = 0
        for event in events {
            do {
                output += try encoder.line(for: event)
                lines += 1
            } catch {
                drop(1, because: "an event of '\(event.type)' has no JSON form")
            }
        }
        if let failure = Self.writeAll(output, to: descriptor) {
            drop(lines, because: failure)
        } else {
            written.add(UInt64(lines), ordering: .relaxed)
        }
    }

    private func reopened(_ old: CInt) -> CInt {
        guard let path else { return old }
        do {
            let new = try Self.open(path)
            Glibc.close(old)
            return new
        } catch {
            Log.error("\(error); lines go on into the file that was open")
            return old
        }
    }

    /// Counts lost events; the log hears of the first and then of every doubling.
    private func drop(_ count: Int, because reason: String) {
        let before = dropped.add(UInt64(count), ordering: .relaxed).oldValue
        let after = before + UInt64(count)
        if before == 0 || before.leadingZeroBitCount != after.leadingZeroBitCount {
            Log.warning("\(after) analytics events are lost so far: \(reason)")
        }
    }

    private static func open(_ path: String?) throws(ConfigurationError) -> CInt {
        guard let path else { return STDOUT_FILENO }
        let descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else {
            throw ConfigurationError(
                "--analytics: can't append to '\(path)': \(SystemError.text)"
            )
        }
        return descriptor
    }

    /// Writes everything, also past short writes. Answers what went wrong, if anything did.
    private static func writeAll(_ bytes: [UInt8], to descriptor: CInt) -> String? {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: offset), $0.count - offset)
            }
            if count > 0 {
                offset += count
            } else if errno != EINTR {
                return SystemError.text
            }
        }
        return nil
    }
}
