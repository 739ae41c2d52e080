import Glibc
import Platform

/// Writes log lines on a thread of its own: standard error may be a pipe without a reader, and
/// neither the Core nor the event loop may ever wait for it.
///
/// The queue is bounded: lines that do not fit are counted, and their number stands in the log as
/// soon as it takes lines again.
package final class LogWriter: Sendable {
    /// The most lines that wait.
    package static let queueLinesMax = 1_024
    /// The most lines that wait when details come; the rest is for what an operator has to see.
    package static let detailsWaitingMax = queueLinesMax / 2
    /// The one for standard error; its thread begins with the first line.
    static let standardError = LogWriter(descriptor: STDERR_FILENO)

    /// Lines that are made when they are written.
    private typealias Entry = @Sendable () -> [LogLine]

    private struct Queue: WorkQueue {
        var entries: [Entry] = []
        /// How many lines the entries have.
        var lines = 0
        var lost = 0
        /// Opened when all that came before is written.
        var flushes: [Latch] = []

        var isEmpty: Bool { entries.isEmpty && flushes.isEmpty }

        mutating func add(_ count: Int, _ entry: @escaping Entry) {
            entries.append(entry)
            lines += count
        }

        mutating func take() -> (entries: [Entry], flushes: [Latch]) {
            var entries = entries
            if lost > 0 {
                let line = LogLine(.warning, "\(lost) log lines are lost")
                entries.append { [line] }
            }
            defer { self = Queue() }
            return (entries, flushes)
        }
    }

    private let worker = Worker("log", queue: Queue())

    /// Starts the thread.
    ///
    /// - Parameter write: writes one line; called on the thread, and may take its time.
    package init(_ write: @escaping @Sendable (LogLine) -> Void) {
        worker.start { Self.run($0, write) }
    }

    /// Writes to an open file, in which each line begins with `name`.
    package convenience init(descriptor: CInt, name: String = "store-server") {
        self.init { line in
            // One call a line, so that lines of several processes don't mix; a full or closed
            // standard error must not stop the server, so the result does not matter.
            let bytes = line.bytes(of: name)
            _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        }
    }

    /// Takes one line, or counts it as lost. Any thread; never waits.
    package func offer(_ line: LogLine) {
        worker.post { queue in
            guard queue.lines < Self.queueLinesMax else {
                queue.lost += 1
                return
            }
            queue.add(1) { [line] }
        }
    }

    /// Takes as many lines of details as fit, and counts the others as lost. Any thread; never
    /// waits. The first so many lines are made on the log's own thread.
    func offer(details count: Int, _ make: @escaping @Sendable (Int) -> [LogLine]) {
        worker.post { queue in
            let taken = min(count, max(0, Self.detailsWaitingMax - queue.lines))
            queue.lost += count - taken
            if taken > 0 { queue.add(taken) { make(taken) } }
        }
    }

    /// Waits until all lines are written, or the time is over.
    func flush(seconds: Double) {
        let flushed = Latch()
        guard worker.post({ $0.flushes.append(flushed) }) != nil else { return }
        _ = flushed.wait(seconds: seconds)
    }

    /// Ends the thread when it has written what waits; later lines are dropped.
    func close() {
        _ = worker.close(seconds: 0)
    }

    private static func run(_ worker: Worker<Queue>, _ write: (LogLine) -> Void) {
        while let (entries, flushes) = worker.next() {
            for line in entries.lazy.flatMap({ $0() }) { write(line) }
            for flushed in flushes { flushed.open() }
        }
    }
}
