import Glibc
import StorePlatform
import Synchronization

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
                let line = LogLine(
                    .warning,
                    .logLost,
                    "\(lost) log lines are lost",
                    [LogField("count", .count(lost))]
                )
                entries.append { [line] }
            }
            defer { self = Queue() }
            return (entries, flushes)
        }
    }

    /// What was offered to it.
    let counts = LogCounts()
    private let worker = Worker("log", queue: Queue())
    /// Which lines are written, by the rank of the lowest level.
    private let lowest = Atomic(LogLevel.info.rank)
    private let form: Form

    /// Shared with the thread, which does not retain the writer.
    private final class Form: Sendable {
        let writesJSON = Atomic(false)
        let name: Locked<String>

        init(_ name: String) {
            self.name = Locked(name)
        }
    }

    /// Starts the thread.
    ///
    /// - Parameter write: writes one line; called on the thread, and may take its time.
    package convenience init(_ write: @escaping @Sendable (LogLine) -> Void) {
        self.init(Form(""), write)
    }

    private init(_ form: Form, _ write: @escaping @Sendable (LogLine) -> Void) {
        self.form = form
        worker.start { Self.run($0, write) }
    }

    /// Writes to an open file, in which each line names `name`.
    package convenience init(descriptor: CInt, name: String = "store-server") {
        let form = Form(name)
        self.init(form) { line in
            let format = form.writesJSON.load(ordering: .relaxed) ? LogFormat.json : .text
            // One call a line, so that lines of several processes don't mix; a full or closed
            // standard error must not stop the server, so the result does not matter.
            let bytes = line.bytes(of: form.name.withLock { $0 }, as: format)
            _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        }
    }

    /// How the lines of a file are written, from the next one on. Any thread.
    func write(as format: LogFormat) {
        form.writesJSON.store(format == .json, ordering: .relaxed)
    }

    /// The program that the lines of a file name, from the next one on. Any thread.
    package func write(naming name: String) {
        form.name.withLock { $0 = name }
    }

    /// Which lines are written from now on: those of a level and above. Any thread.
    func write(from level: LogLevel) {
        lowest.store(level.rank, ordering: .relaxed)
    }

    /// The least that is written. Any thread.
    var level: LogLevel {
        let rank = lowest.load(ordering: .relaxed)
        return LogLevel.allCases.first { $0.rank == rank } ?? .info
    }

    /// Whether lines of a level are written. Any thread.
    func writes(_ level: LogLevel) -> Bool {
        level.rank >= lowest.load(ordering: .relaxed)
    }

    /// Takes one line, or counts it as lost; one below the level that is written is dropped. Any
    /// thread; never waits.
    package func offer(_ line: LogLine) {
        guard writes(line.level) else { return }
        counts.note(line)
        worker.post { queue in
            guard queue.lines < Self.queueLinesMax else {
                queue.lost += 1
                return
            }
            queue.add(1) { [line] }
        }
    }

    /// Takes as many lines of details as fit, and counts the others as lost. Any thread; never
    /// waits. The first so many lines, which are information, are made on the log's own thread.
    func offer(details count: Int, _ make: @escaping @Sendable (Int) -> [LogLine]) {
        counts.note(count, .info)
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
