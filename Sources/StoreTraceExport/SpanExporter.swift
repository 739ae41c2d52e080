import StoreCurl
import StorePlatform
package import StoreTelemetry
package import StoreTraces
import Synchronization

/// An exporter that posts the waiting spans to a collector, in batches, on its own thread.
///
/// A slow or missing collector holds up only this thread. Meanwhile the queue fills, and the spans
/// that do not fit are dropped and counted. A batch that the collector refuses, or does not take in
/// several attempts, is given up and counted. The log has a line when losses begin and when they
/// end.
package final class SpanExporter: Sendable {
    /// The maximum number of spans in one request.
    package static let batchSpansMax = 512

    /// The time limits of the export, in seconds.
    struct TimeLimits: Sendable {
        /// The longest time from a span's end to its export, while the collector takes spans.
        var batchWaitSecondsMax = 5.0
        /// The longest time of a request.
        var requestSecondsMax = 10.0
    }

    /// The deadline of a stop, and the request that a stop cancels.
    private struct StopState: Sendable {
        /// The deadline of the stop; `nil` while the server runs.
        var deadline: Deadline?
        /// The current request.
        var requestTask: Task<Void, Never>?
    }

    private let url: String
    /// The `User-Agent` of the requests.
    private let userAgent: String
    private let tracer: Tracer
    private let encoder: SpanEncoder
    private let client: any HTTPClient
    private let logger: Logger
    private let timeLimits: TimeLimits
    private let retry: ExportRetry
    private let headers: Locked<HTTPHeaders>
    private let executor = WaitingExecutor()
    private let lossReportPace = Locked(LossReportPace())
    private let stopState = Locked(StopState())
    private let closeRequested = Latch()
    private let threadEnded = Latch()

    /// Makes an exporter of the spans that `tracer` takes. The export begins with ``start()``.
    package convenience init(
        to url: CollectorURL,
        _ tracer: Tracer,
        _ encoder: SpanEncoder,
        headers: ExportHeaders,
        logger: Logger
    ) {
        self.init(
            to: url.text,
            tracer,
            encoder,
            headers: headers,
            through: CurlClient(),
            logger: logger
        )
    }

    init(
        to url: String,
        _ tracer: Tracer,
        _ encoder: SpanEncoder,
        headers: ExportHeaders,
        through client: any HTTPClient,
        logger: Logger,
        times: TimeLimits = TimeLimits(),
        retry: ExportRetry = ExportRetry()
    ) {
        self.url = url
        userAgent = encoder.userAgent
        self.tracer = tracer
        self.encoder = encoder
        self.client = client
        self.logger = logger
        self.timeLimits = times
        self.retry = retry
        self.headers = Locked(headers.fields)
    }

    /// The thread's nice value: threads that serve clients have priority if processors are scarce.
    private static let niceness: CInt = 10

    /// Starts the thread.
    package func start() {
        SystemThread.start(name: "traces", niceness: Self.niceness) { [self] in
            run()
            threadEnded.open()
        }
    }

    /// Sets the header fields for the next requests. Any thread may call this function. Returns
    /// true if the fields have changed.
    package func setHeaders(_ headers: ExportHeaders) -> Bool {
        self.headers.withLock { old in
            defer { old = headers.fields }
            return old != headers.fields
        }
    }

    /// Refuses further spans, exports the waiting spans, and ends the thread. Spans that are not
    /// exported within `seconds` are lost. Call this function after ``start()``.
    package func close(seconds: Double) {
        stopState.withLock { $0.deadline = $0.deadline ?? Deadline(seconds: seconds) }
        closeRequested.open()
        tracer.queue.close()
        if !threadEnded.wait(seconds: seconds) {
            stopState.withLock { $0.requestTask }?.cancel()
            // After a cancellation, the thread counts the spans of its batch as failed.
            _ = threadEnded.wait(seconds: Self.cancelSecondsMax)
        }
        let lost = tracer.queue.removeAll()
        if lost > 0 {
            tracer.counts.countFailed(lost)
            logger.warning(.tracesFailed, "\(lost) spans are not exported: the server stops")
        }
    }

    /// The longest wait for the end of a cancelled request, in seconds.
    private static let cancelSecondsMax = 0.2

    // The thread

    private func run() {
        var dropped: UInt64 = 0
        while true {
            let batch = tracer.queue.takeBatch(within: timeLimits.batchWaitSecondsMax)
            guard !batch.isEmpty else { return }
            if nextRequestSecondsMax <= 0 {
                noteLoss(batch.count, because: "the server stops")
                continue
            }
            export(batch)
            let total = tracer.queue.droppedTotal
            if total > dropped { noteTrouble("more came than the queue holds") }
            dropped = total
        }
    }

    /// The longest time of the next request, in seconds. A stop makes the time shorter.
    private var nextRequestSecondsMax: Double {
        min(
            timeLimits.requestSecondsMax,
            stopState.withLock { $0.deadline?.secondsLeft } ?? .infinity
        )
    }

    /// Sends a batch repeatedly, until the collector takes the batch or the batch is given up.
    private func export(_ batch: [Span]) {
        let body = encoder.body(batch)
        var attempt = 1
        while true {
            let result = send(body, seconds: nextRequestSecondsMax)
            let jitter = Double.random(in: 0...1)
            switch retry.verdict(after: result, attempt: attempt, jitter: jitter) {
            case .accepted(let refused, let reason):
                let refused = min(refused, batch.count)
                tracer.counts.countExported(batch.count - refused)
                if refused == 0 { return noteSuccess() }
                return noteLoss(refused, because: "the collector refuses them: \(reason)")
            case .retry(let seconds, let reason):
                noteTrouble(reason)
                // A stop ends the pause, and leaves the batch one more attempt.
                let isStopping = closeRequested.wait(seconds: seconds)
                guard nextRequestSecondsMax > 0, !isStopping || attempt < retry.attemptsMax else {
                    return noteLoss(batch.count, because: reason)
                }
                attempt = isStopping ? retry.attemptsMax : attempt + 1
            case .giveUp(let reason): return noteLoss(batch.count, because: reason)
            }
        }
    }

    /// Posts a batch in one request, and waits for the answer.
    private func send(_ body: [UInt8], seconds: Double) -> Result<HTTPResponse, HTTPClientError> {
        var request = HTTPRequest(
            .post,
            url,
            headers: headers.withLock { $0 },
            body: body,
            timeout: .seconds(seconds)
        )
        request.headers.add("Content-Type", "application/json")
        if request.headers["user-agent"] == nil { request.headers.add("User-Agent", userAgent) }
        request.responseBytesMax = Self.responseBytesMax
        let result = Locked<Result<HTTPResponse, HTTPClientError>?>(nil)
        let task = Task(executorPreference: executor) { [client, request] in
            let answer: Result<HTTPResponse, HTTPClientError>
            do { answer = .success(try await client.response(to: request)) } catch {
                answer = .failure(
                    error as? HTTPClientError
                        ?? HTTPClientError(.timeout, request, "the server stops")
                )
            }
            result.withLock { $0 = answer }
        }
        stopState.withLock { $0.requestTask = task }
        defer { stopState.withLock { $0.requestTask = nil } }
        // The HTTP client has a timeout of its own. This bound ends the wait if the HTTP client
        // exceeds that timeout.
        executor.run(for: seconds + Self.timeoutGraceSeconds) { result.withLock { $0 != nil } }
        if let result = result.withLock({ $0 }) { return result }
        task.cancel()
        return .failure(HTTPClientError(.timeout, request, "no answer within \(seconds) s"))
    }

    /// The maximum number of bytes of a collector's answer.
    private static let responseBytesMax = 64 << 10
    private static let timeoutGraceSeconds = 1.0

    // The lines of the log.

    /// Counts spans that are given up, and may write a line about the loss.
    private func noteLoss(_ count: Int, because reason: String) {
        tracer.counts.countFailed(count)
        noteTrouble(reason)
    }

    /// Writes a line about a failure, unless the log had such a line recently.
    private func noteTrouble(_ reason: String) {
        guard lossReportPace.withLock({ $0.noteLoss(at: .now) }) else { return }
        logger.warning(
            .tracesFailed,
            "spans are not exported to \(url): \(reason); \(lostTotal) are lost so far"
        )
    }

    private func noteSuccess() {
        guard lossReportPace.withLock({ $0.noteSuccess() }) else { return }
        logger.info(.tracesExported, "spans are exported again; \(lostTotal) are lost so far")
    }

    private var lostTotal: UInt64 { tracer.counts.failedTotal + tracer.queue.droppedTotal }
}

/// An executor that runs tasks on the thread that waits for their end. Swift's own pool is not
/// used, because effects that block may occupy all of its threads.
final class WaitingExecutor: TaskExecutor {
    private let jobs = Locked<[UnownedJob]>([])
    private let jobSignal = TimedSemaphore()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        jobSignal.signal()
    }

    /// Runs the enqueued jobs on the calling thread until `isOver` returns true, or the seconds are
    /// over.
    func run(for seconds: Double, until isOver: () -> Bool) {
        let deadline = Deadline(seconds: seconds)
        while !isOver(), jobSignal.wait(seconds: deadline.secondsLeft) {
            let next = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            next?.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
