import Dispatch
import Glibc
import Platform
import StoreCore
import Synchronization

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

    private struct Queue {
        var entries: [Entry] = []
        /// How many lines the entries have.
        var lines = 0
        var lost = 0
        /// Whether the thread is writing, or has been woken and has not come yet.
        var isBusy = false
        var idleWaiters = 0

        /// Takes so many lines; answers whether the thread has to be woken.
        mutating func take(_ count: Int, _ entry: @escaping Entry) -> Bool {
            entries.append(entry)
            lines += count
            defer { isBusy = true }
            return !isBusy
        }
    }

    private let queue = Locked(Queue())
    private let wake = DispatchSemaphore(value: 0)
    private let idle = TimedSemaphore()

    package init(descriptor: CInt) {
        SystemThread.start(name: "log") { [self] in run(descriptor) }
    }

    /// Takes one line with its line feed, or counts it as lost. Any thread; never waits.
    package func offer(_ line: [UInt8]) {
        let wakes = queue.withLock { queue in
            guard queue.lines < Self.queueLinesMax else {
                queue.lost += 1
                return false
            }
            return queue.take(1) { [line] }
        }
        if wakes { wake.signal() }
    }

    /// Takes as many lines of details as fit, and counts the others as lost. Any thread; never waits.
    ///
    /// - Parameter make: makes the first so many lines, with their line feeds, on the log's own thread.
    package func offer(details count: Int, _ make: @escaping @Sendable (Int) -> [[UInt8]]) {
        let wakes = queue.withLock { queue in
            let taken = min(count, max(0, Self.detailsWaitingMax - queue.lines))
            queue.lost += count - taken
            guard taken > 0 else { return false }
            return queue.take(taken) { make(taken) }
        }
        if wakes { wake.signal() }
    }

    /// Waits until all lines are written, or the time is over.
    package func flush(seconds: Double) {
        let isIdle = queue.withLock { queue in
            if queue.isBusy { queue.idleWaiters += 1 }
            return !queue.isBusy
        }
        if !isIdle { _ = idle.wait(seconds: seconds) }
    }

    private func run(_ descriptor: CInt) {
        Self.leaveSignalsToOtherThreads()
        while true {
            wake.wait()
            while let entries = next() {
                // One call a line, so that lines of several processes don't mix; a full or closed
                // standard error must not stop the server, so the result does not matter.
                for line in entries.lazy.flatMap({ $0() }) {
                    _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                }
            }
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

    /// Takes what is queued; `nil` where there is nothing, of which `flush` is signalled.
    private func next() -> [Entry]? {
        let (entries, waiters) = queue.withLock { queue -> ([Entry]?, Int) in
            guard !queue.entries.isEmpty else {
                queue.isBusy = false
                defer { queue.idleWaiters = 0 }
                return (nil, queue.idleWaiters)
            }
            var entries = queue.entries
            if queue.lost > 0 {
                let line = "\(Log.warningPrefix)\(queue.lost) log lines are lost\n"
                entries.append { [Array(line.utf8)] }
            }
            queue.entries = []
            queue.lines = 0
            queue.lost = 0
            return (entries, 0)
        }
        for _ in 0..<waiters { idle.signal() }
        return entries
    }
}
