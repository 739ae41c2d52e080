import Glibc
import StorePlatform
import Synchronization

/// Writes log lines on its own thread. Standard error may be a pipe whose reader does not read. The
/// Core and the event loop must never wait for such a reader. The queue is bounded. Lines that do
/// not fit are dropped and counted, and a later line has their number.
package final class LogWriter: Sendable {
    /// The maximum number of lines that wait.
    package static let queueLinesMax = 1_024
    /// The number of waiting lines above which the log loses detail lines (``offer(details:_:)``).
    /// The rest of the queue is for other lines.
    package static let detailsWaitingMax = queueLinesMax / 2
    /// The writer for standard error; its thread begins with the first use.
    static let standardError = LogWriter(descriptor: STDERR_FILENO)

    /// A function that makes lines on the log's thread.
    private typealias LineMaker = @Sendable () -> [LogLine]

    private struct Queue: WorkQueue {
        var lineMakers: [LineMaker] = []
        /// The number of lines that all ``lineMakers`` together will make.
        var linesCount = 0
        var lostCount = 0
        /// The latches of calls of ``LogWriter/flush(seconds:)``. A latch opens when all lines that
        /// were queued before it are written.
        var flushLatches: [Latch] = []

        var isEmpty: Bool { lineMakers.isEmpty && flushLatches.isEmpty }

        mutating func add(lines count: Int, _ entry: @escaping LineMaker) {
            lineMakers.append(entry)
            linesCount += count
        }

        mutating func take() -> (entries: [LineMaker], flushes: [Latch]) {
            var entries = lineMakers
            if lostCount > 0 {
                let line = LogLine(
                    .warning,
                    .logLost,
                    "\(lostCount) log lines are lost",
                    [LogField("count", .count(lostCount))]
                )
                entries.append { [line] }
            }
            defer { self = Queue() }
            return (entries, flushLatches)
        }
    }

    let counts = LogCounts()
    private let worker = Worker("log", queue: Queue())
    /// The rank of the lowest level that is written.
    private let lowestRank = Atomic(LogLevel.info.rank)
    private let lineSettings: LineSettings

    /// The format of lines, and the program's name. The log's thread retains this object, but not
    /// the writer.
    private final class LineSettings: Sendable {
        let value: Locked<(format: LogFormat, name: String)>

        init(_ name: String) { value = Locked((.text, name)) }
    }

    /// Makes a writer, and starts its thread. The thread calls `write` with each line; `write` may
    /// block.
    package convenience init(_ write: @escaping @Sendable (LogLine) -> Void) {
        self.init(LineSettings(""), write)
    }

    private init(_ form: LineSettings, _ write: @escaping @Sendable (LogLine) -> Void) {
        self.lineSettings = form
        worker.start { Self.run($0, write) }
    }

    /// Makes a writer for an open file; each line contains `name`.
    package convenience init(descriptor: CInt, name: String = "store-server") {
        let form = LineSettings(name)
        self.init(form) { line in
            let (format, name) = form.value.withLock { $0 }
            // Each line is written by one call, so that lines of several processes do not mix. The
            // result is ignored: a full or closed standard error must not stop the server.
            let bytes = line.bytes(program: name, as: format)
            _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        }
    }

    /// Sets the format of lines in a file, and the program's name in them, from the next line on.
    /// Any thread may call this function.
    func setFormat(_ format: LogFormat, program name: String) {
        lineSettings.value.withLock { $0 = (format, name) }
    }

    /// Sets the lowest level of the lines that are written from now on. Any thread may call this
    /// function.
    func setLevel(_ level: LogLevel) { lowestRank.store(level.rank, ordering: .relaxed) }

    var level: LogLevel {
        let rank = lowestRank.load(ordering: .relaxed)
        return LogLevel.allCases.first { $0.rank == rank } ?? .info
    }

    /// Returns true if lines of a level are written. Any thread may call this function.
    func writes(_ level: LogLevel) -> Bool { level.rank >= lowestRank.load(ordering: .relaxed) }

    /// Queues a line, or counts the line as lost. Drops a line below the lowest written level. Any
    /// thread may call this function, which never waits.
    package func offer(_ line: LogLine) {
        guard writes(line.level) else { return }
        counts.note(line)
        worker.post { queue in
            guard queue.linesCount < Self.queueLinesMax else {
                queue.lostCount += 1
                return
            }
            queue.add(lines: 1) { [line] }
        }
    }

    /// Queues `count` lines of the level `info`. If some of them do not fit, counts these lines as
    /// lost. `make` gets the number of lines that fit, and runs on the log's thread. Any thread may
    /// call this function, which never waits.
    func offer(details count: Int, _ make: @escaping @Sendable (Int) -> [LogLine]) {
        counts.note(count, .info)
        worker.post { queue in
            let taken = min(count, max(0, Self.detailsWaitingMax - queue.linesCount))
            queue.lostCount += count - taken
            if taken > 0 { queue.add(lines: taken) { make(taken) } }
        }
    }

    /// Waits until all lines are written, or the time is over.
    func flush(seconds: Double) {
        let flushed = Latch()
        guard worker.post({ $0.flushLatches.append(flushed) }) != nil else { return }
        _ = flushed.wait(seconds: seconds)
    }

    /// Ends the thread after it has written the waiting lines. Later lines are dropped.
    func close() { _ = worker.close(seconds: 0) }

    private static func run(_ worker: Worker<Queue>, _ write: (LogLine) -> Void) {
        while let (entries, flushes) = worker.next() {
            for line in entries.lazy.flatMap({ $0() }) { write(line) }
            for flushed in flushes { flushed.open() }
        }
    }
}
