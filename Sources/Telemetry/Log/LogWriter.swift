import Glibc
import Platform

/// Writes log lines on a thread of its own: standard error may be a pipe that nobody reads, and
/// neither the Core nor the event loop may ever wait for it.
///
/// The queue is bounded: lines that do not fit are counted, and their number stands in the log as
/// soon as it takes lines again.
package final class LogWriter: Sendable {
    /// The most lines that wait to be written.
    package static let queueLinesMax = 1_024
    /// The most lines that wait when details come; the rest is for what an operator has to see.
    package static let detailsWaitingMax = queueLinesMax / 2
    /// The one for standard error; its thread begins with the first line.
    package static let standardError = LogWriter(descriptor: STDERR_FILENO)

    /// Lines that are made when they are written.
    private typealias Entry = @Sendable () -> [[UInt8]]

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
                let line = "\(Log.warningPrefix)\(lost) log lines are lost\n"
                entries.append { [Array(line.utf8)] }
            }
            defer { self = Queue() }
            return (entries, flushes)
        }
    }

    private let worker = Worker("log", queue: Queue())

    package init(descriptor: CInt) {
        worker.start { Self.run($0, descriptor) }
    }

    /// Takes one line with its line feed, or counts it as lost. Any thread; never waits.
    package func offer(_ line: [UInt8]) {
        worker.post { queue in
            guard queue.lines < Self.queueLinesMax else {
                queue.lost += 1
                return
            }
            queue.add(1) { [line] }
        }
    }

    /// Takes as many lines of details as fit, and counts the others as lost. Any thread; never waits.
    ///
    /// - Parameter make: makes the first so many lines, with their line feeds, on the log's own thread.
    package func offer(details count: Int, _ make: @escaping @Sendable (Int) -> [[UInt8]]) {
        worker.post { queue in
            let taken = min(count, max(0, Self.detailsWaitingMax - queue.lines))
            queue.lost += count - taken
            if taken > 0 { queue.add(taken) { make(taken) } }
        }
    }

    /// Waits until all lines are written, or the time is over.
    package func flush(seconds: Double) {
        let flushed = Latch()
        worker.post { $0.flushes.append(flushed) }
        _ = flushed.wait(seconds: seconds)
    }

    private static func run(_ worker: Worker<Queue>, _ descriptor: CInt) {
        leaveSignalsToOtherThreads()
        while let (entries, flushes) = worker.next() {
            // One call a line, so that lines of several processes don't mix; a full or closed
            // standard error must not stop the server, so the result does not matter.
            for line in entries.lazy.flatMap({ $0() }) {
                _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            }
            for flushed in flushes { flushed.open() }
        }
    }

    /// Keeps what others send to the process from this thread, which may begin before those that are to
    /// get it have said so.
    private static func leaveSignalsToOtherThreads() {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }
}
