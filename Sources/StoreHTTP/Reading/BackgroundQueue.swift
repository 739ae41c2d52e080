package import StorePlatform
import StorePublishing
import Synchronization

/// Runs jobs that would delay the event loop or the Core: a few jobs at a time, from a bounded
/// queue. The threads that run the jobs have a lower priority, and belong to this object or to a
/// pool.
final class BackgroundQueue: Sendable {
    /// The seconds that an idle thread waits for the next job before the thread ends.
    private static let idleSecondsMax = 5.0

    /// A job, which returns the number of bytes that the event loop then sends.
    private typealias Job = @Sendable () -> Int

    /// The assumed minimum rate at which an event loop without other work sends bytes, in bytes per
    /// second.
    private static let sentBytesPerSecondMin = 1e9

    private struct Jobs: WorkQueue {
        let unfinishedMax: Int
        var waiting: [Job] = []
        /// The number of jobs that wait or run. A job counts until the end of the pause that
        /// follows the job.
        var unfinishedCount = 0

        var isEmpty: Bool { waiting.isEmpty }

        mutating func offer(_ job: @escaping Job) -> Bool {
            guard unfinishedCount < unfinishedMax else { return false }
            unfinishedCount += 1
            waiting.append(job)
            return true
        }

        mutating func take() -> Job { waiting.removeFirst() }

        mutating func noteFinished() { unfinishedCount -= 1 }
    }

    private let worker: Worker<Jobs>
    private let refusedCount = Atomic<UInt64>(0)

    /// Makes a queue. With a `pool`, the pool runs the jobs. Otherwise threads with the name
    /// `label` start with the first job. The queue refuses a job if `runningMax + waitingMax` jobs
    /// wait or run. With `version`, which returns the newest version, the threads pause between
    /// jobs while many new versions are published.
    init(
        _ label: String,
        on pool: ThreadPool? = nil,
        runningMax: Int = 2,
        waitingMax: Int = 64,
        pacedBy version: (@Sendable () -> UInt64)? = nil
    ) {
        worker = Worker(
            label,
            on: pool.map(WorkerThreads.pool)
                ?? .own(niceness: ReaderThread.niceness, idleSecondsMax: Self.idleSecondsMax),
            threadsMax: runningMax,
            queue: Jobs(unfinishedMax: runningMax + waitingMax)
        )
        let kept = pool.map { _ in SharedPace() }
        worker.start(.withFirstWork) { worker in
            guard let kept else {
                var pace = ReaderPace()
                return BackgroundQueue.run(worker, &pace, by: version)
            }
            var pace = kept.pace.withLock { $0 }
            BackgroundQueue.run(worker, &pace, by: version)
            kept.pace.withLock { [pace] in $0 = pace }
        }
    }

    /// Adds a job. Returns false if too many jobs wait. Never blocks; any thread may call this
    /// function.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        submitAnswer {
            job()
            return 0
        }
    }

    /// Adds a job that returns the number of bytes in its answer. The thread pauses after each job;
    /// the pause after this job also counts the time in which the event loop sends these bytes.
    /// Returns false if too many jobs wait.
    func submitAnswer(_ job: @escaping @Sendable () -> Int) -> Bool {
        let isTaken = worker.post { $0.offer(job) } == true
        if !isTaken { refusedCount.add(1, ordering: .relaxed) }
        return isTaken
    }

    /// The number of jobs that were refused since the start.
    var refusedTotal: UInt64 { refusedCount.load(ordering: .relaxed) }

    private static func run(
        _ worker: Worker<Jobs>,
        _ pace: inout ReaderPace,
        by version: (@Sendable () -> UInt64)?
    ) {
        while let job = worker.next() {
            let began = SystemTime.steadySeconds()
            let sent = Double(job()) / Self.sentBytesPerSecondMin
            if let version {
                let ended = SystemTime.steadySeconds()
                pace.beginWork(at: began)
                pace.noteVersion(version(), at: ended)
                if let pause = pace.pauseSeconds(at: ended, otherWorkSeconds: sent) {
                    worker.pause(seconds: pause)
                }
            }
            worker.withQueue { $0.noteFinished() }
        }
    }
}

/// The measured times and pauses of the jobs on a pool. The object is shared, because the jobs may
/// run on different threads.
private final class SharedPace: Sendable {
    let pace = Locked(ReaderPace())
}

/// The threads for jobs that would delay the event loop or the Core. Each thread starts with its
/// first job. With a pool, the pool's threads run the jobs.
package struct ReadingThreads: Sendable {
    /// The thread that makes large answers. While many new versions are published, the thread
    /// pauses after each answer.
    let largeAnswers: BackgroundQueue
    /// The thread that compares the states of dry runs. While many new versions are published, the
    /// thread pauses after each comparison.
    let dryRuns: BackgroundQueue
    let views: BackgroundQueue
    /// The threads for reads of past states, and for searches for the action that last changed a
    /// part.
    let pastStates: BackgroundQueue
    let logPages: BackgroundQueue
    let traces: BackgroundQueue

    /// Makes the threads; with a `pool`, its threads run the jobs. `waitingMax` is the maximum
    /// number of connections. This number is also the maximum of waiting large answers, and the
    /// maximum of waiting dry runs. `version` returns the newest version. The threads for large
    /// answers and dry runs pause while many new versions are published.
    package init(
        waitingMax: Int,
        on pool: ThreadPool? = nil,
        pacedBy version: @escaping @Sendable () -> UInt64
    ) {
        func paced(_ label: String) -> BackgroundQueue {
            BackgroundQueue(
                label,
                on: pool,
                runningMax: 1,
                waitingMax: waitingMax,
                pacedBy: version
            )
        }
        largeAnswers = paced("reading")
        dryRuns = paced("dry runs")
        views = BackgroundQueue("views", on: pool)
        pastStates = BackgroundQueue("history", on: pool)
        logPages = BackgroundQueue("log pages", on: pool)
        traces = BackgroundQueue("trace", on: pool)
    }

    /// The number of requests that were refused because too many requests of the same kind waited.
    var refusedTotal: UInt64 {
        [largeAnswers, dryRuns, views, pastStates, logPages, traces].reduce(0) {
            $0 + $1.refusedTotal
        }
    }
}
