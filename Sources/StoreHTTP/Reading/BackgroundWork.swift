import StoreEventStream
import StorePlatform
import StorePublishing
import Synchronization

/// Work that would hold up the event loop or the Core: a little at a time, a bounded queue, and
/// threads that the event loop and the Core go before: its own, or those of a pool.
final class BackgroundWork: Sendable {
    /// How long a thread that has nothing to do waits for the next job before it ends.
    private static let idleSecondsMax = 5.0

    /// A job returns how many bytes the event loop sends for it.
    private typealias Job = @Sendable () -> Int

    /// How many bytes the event loop sends in a second at the least, where it does nothing else.
    private static let sentBytesPerSecond = 1e9

    private struct Jobs: WorkQueue {
        let takenMax: Int
        private var waiting: [Job] = []
        /// How many jobs wait or are done just now, pauses included.
        private var taken = 0

        init(takenMax: Int) {
            self.takenMax = takenMax
        }

        var isEmpty: Bool { waiting.isEmpty }

        mutating func offer(_ job: @escaping Job) -> Bool {
            guard taken < takenMax else { return false }
            taken += 1
            waiting.append(job)
            return true
        }

        mutating func take() -> Job { waiting.removeFirst() }

        mutating func finished() { taken -= 1 }
    }

    private let worker: Worker<Jobs>
    private let refused = Atomic<UInt64>(0)

    /// Makes a place for such work.
    ///
    /// - Parameters:
    ///   - label: the name of its own threads, which begin with the first job.
    ///   - pool: whose threads do the work; `nil` for its own.
    ///   - runningMax: the most that is done at a time.
    ///   - waitingMax: the most that waits; more is refused.
    ///   - version: the newest version, where the threads are to pause between jobs while many
    ///     come.
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
            queue: Jobs(takenMax: runningMax + waitingMax)
        )
        let kept = pool.map { _ in KeptPace() }
        worker.start(.withFirstWork) { worker in
            guard let kept else {
                var pace = ReaderPace()
                return BackgroundWork.run(worker, &pace, by: version)
            }
            var pace = kept.pace.withLock { $0 }
            BackgroundWork.run(worker, &pace, by: version)
            kept.pace.withLock { [pace] in $0 = pace }
        }
    }

    /// Takes a job, or returns `false` where too much waits already. Any thread; never waits.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        submitAnswer {
            job()
            return 0
        }
    }

    /// The same for a job that makes an answer and returns how many bytes that has: the pauses
    /// count the time in which the event loop sends them, too.
    func submitAnswer(_ job: @escaping @Sendable () -> Int) -> Bool {
        let isTaken = worker.post { $0.offer(job) } == true
        if !isTaken { refused.add(1, ordering: .relaxed) }
        return isTaken
    }

    /// How many jobs were not taken since the start.
    var refusedTotal: UInt64 { refused.load(ordering: .relaxed) }

    private static func run(
        _ worker: Worker<Jobs>,
        _ pace: inout ReaderPace,
        by version: (@Sendable () -> UInt64)?
    ) {
        while let job = worker.next() {
            let began = SystemTime.steadySeconds()
            let sent = Double(job()) / Self.sentBytesPerSecond
            if let version {
                let ended = SystemTime.steadySeconds()
                pace.begin(at: began)
                pace.saw(version(), at: ended)
                if let pause = pace.pauseSeconds(at: ended, besides: sent) {
                    worker.pause(seconds: pause)
                }
            }
            worker.withQueue { $0.finished() }
        }
    }
}

/// The pace between two turns on a pool, of which each may be on another thread.
private final class KeptPace: Sendable {
    let pace = Locked(ReaderPace())
}
