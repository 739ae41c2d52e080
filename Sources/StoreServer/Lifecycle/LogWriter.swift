import Dispatch
import Glibc
import Locks
import StoreCore
import Synchronization

/// Writes log lines on a thread of its own: standard error may be a pipe that nobody reads, and
/// neither the Core nor the event loop may ever wait for it.
///
/// The queue is bounded: lines that do not fit are counted, and their number stands in the log as
/// soon as it takes lines again.
final class LogWriter: Sendable {
    /// The most lines that wait to be written.
    static let queueLinesMax = 1_024
    /// The one for standard error; its thread begins with the first line.
    static let standardError = LogWriter(descriptor: STDERR_FILENO)

    private struct Queue {
        var lines: [[UInt8]] = []
        var lost = 0
        /// Whether the thread is writing, or has been woken and has not come yet.
        var isBusy = false
        var idleWaiters = 0
    }

    private let queue = Locked(Queue())
    private let wake = DispatchSemaphore(value: 0)
    private let idle = TimedSemaphore()

    init(descriptor: CInt) {
        SystemThread.start(name: "log") { [self] in run(descriptor) }
    }

    /// Takes one line with its line feed, or counts it as lost. Any thread; never waits.
    func offer(_ line: [UInt8]) {
        let wakes = queue.withLock { queue in
            guard queue.lines.count < Self.queueLinesMax else {
                queue.lost += 1
                return false
            }
            queue.lines.append(line)
            defer { queue.isBusy = true }
            return !queue.isBusy
        }
        if wakes { wake.signal() }
    }

    /// Waits until all lines are written, or the time is over.
    func flush(seconds: Double) {
        let isIdle = queue.withLock { queue in
            if queue.isBusy { queue.idleWaiters += 1 }
            return !queue.isBusy
        }
        if !isIdle { _ = idle.wait(seconds: seconds) }
    }

    private func run(_ descriptor: CInt) {
        Signals.leaveToOtherThreads()
        while true {
            wake.wait()
            while let lines = next() {
                // One call a line, so that lines of several processes don't mix; a full or closed
                // standard error must not stop the server, so the result does not matter.
                for line in lines {
                    _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                }
            }
        }
    }

    /// Takes what is queued; `nil` where there is nothing, which `flush` then hears of.
    private func next() -> [[UInt8]]? {
        let (lines, waiters) = queue.withLock { queue -> ([[UInt8]]?, Int) in
            guard !queue.lines.isEmpty else {
                queue.isBusy = false
                defer { queue.idleWaiters = 0 }
                return (nil, queue.idleWaiters)
            }
            var lines = queue.lines
            if queue.lost > 0 {
                lines.append(Array("\(Log.warningPrefix)\(queue.lost) log lines are lost\n".utf8))
            }
            queue.lines = []
            queue.lost = 0
            return (lines, 0)
        }
        for _ in 0..<waiters { idle.signal() }
        return lines
    }
}
