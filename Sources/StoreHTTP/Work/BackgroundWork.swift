import EventStream
import Glibc
import HTTPTransport
import Platform
import StatePublishing
import StoreCore
import Synchronization

/// Work that would hold up the event loop or the Core: a little at a time, a bounded queue, and threads
/// that the event loop and the Core go before.
final class BackgroundWork: Sendable {
    /// How long a thread that has nothing to do waits for the next job before it ends.
    private static let idleSecondsMax = 5.0

    /// A job returns how many bytes the event loop sends for it.
    private typealias Job = @Sendable () -> Int

    /// How many bytes the event loop sends in a second at the least, where it does nothing else.
    private static let sentBytesPerSecond = 1e9

    private struct Jobs {
        var waiting: [Job] = []
        /// How many threads there are, and how many of them wait for a job.
        var threads = 0
        var idle = 0
        /// How many jobs wait or are done just now, pauses included.
        var taken = 0
    }

    private let jobs = Locked(Jobs())
    private let wake = TimedSemaphore()
    private let label: String
    private let runningMax: Int
    private let waitingMax: Int
    private let version: (@Sendable () -> UInt64)?

    /// Makes a place for such work.
    ///
    /// - Parameters:
    ///   - label: the name of its threads, which begin with the first job.
    ///   - runningMax: the most that is done at a time.
    ///   - waitingMax: the most that waits; more is refused.
    ///   - version: the newest version, where the threads are to pause between jobs while many come.
    init(
        _ label: String,
        runningMax: Int = 2,
        waitingMax: Int = 64,
        pacedBy version: (@Sendable () -> UInt64)? = nil
    ) {
        self.label = label
        self.runningMax = runningMax
        self.waitingMax = waitingMax
        self.version = version
    }

    /// Takes a job, or answers `false` where too much waits already. Any thread; never waits.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        submitAnswer {
            job()
            return 0
        }
    }

    /// The same for a job that makes an answer and returns how many bytes that has: the pauses count the
    /// time in which the event loop sends them, too.
    func submitAnswer(_ job: @escaping @Sendable () -> Int) -> Bool {
        let (isTaken, starts, wakes) = jobs.withLock { jobs -> (Bool, Bool, Bool) in
            guard jobs.taken < runningMax + waitingMax else { return (false, false, false) }
            jobs.taken += 1
            jobs.waiting.append(job)
            let starts = jobs.waiting.count > jobs.idle && jobs.threads < runningMax
            if starts { jobs.threads += 1 }
            return (true, starts, jobs.idle > 0)
        }
        if wakes { wake.signal() }
        if starts { ReaderThread.start(name: label) { [self] in run() } }
        return isTaken
    }

    private func run() {
        var pace = ReaderPace()
        while let job = next() {
            let began = SystemTime.steadySeconds()
            let sent = Double(job()) / Self.sentBytesPerSecond
            if let version {
                let ended = SystemTime.steadySeconds()
                pace.begin(at: began)
                pace.saw(version(), at: ended)
                if let pause = pace.pauseSeconds(at: ended, besides: sent) {
                    usleep(useconds_t(pause * 1e6))
                }
            }
            jobs.withLock { $0.taken -= 1 }
        }
    }

    /// The next job; `nil` where the thread is to end, for there has been none for a while.
    private func next() -> Job? {
        var (isOver, wasIdle) = (false, false)
        while true {
            let (job, ends) = jobs.withLock { jobs -> (Job?, Bool) in
                if wasIdle { jobs.idle -= 1 }
                guard jobs.waiting.isEmpty else { return (jobs.waiting.removeFirst(), false) }
                if isOver { jobs.threads -= 1 } else { jobs.idle += 1 }
                return (nil, isOver)
            }
            if job != nil || ends { return job }
            isOver = !wake.wait(seconds: Self.idleSecondsMax)
            wasIdle = true
        }
    }
}
