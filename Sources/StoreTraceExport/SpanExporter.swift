import StoreHTTPClient
import StorePlatform
package import StoreTelemetry
package import StoreTraces
import Synchronization

/// Posts the spans that wait to a collector, in batches, on a thread of its own.
///
/// A collector that is slow or gone holds up nothing but this thread: the queue fills meanwhile,
/// and what does not fit is dropped and counted. A batch that is not taken for long enough is given
/// up and counted. The log has a line when losing begins and when it is over.
package final class SpanExporter: Sendable {
    /// The most spans in one request.
    package static let batchSpansMax = 512

    /// The times that exporting takes at the most, in seconds.
    struct Times: Sendable {
        /// From a span's end until it is sent, while the collector takes them.
        var interval = 5.0
        /// One request.
        var request = 10.0
    }

    /// What a stop changes.
    private struct Ending: Sendable {
        /// By when all is to be over; `nil` while the server runs.
        var deadline: Deadline?
        /// The request that is under way.
        var task: Task<Void, Never>?
    }

    private let url: String
    /// How the server names itself.
    private let agent: String
    private let tracer: Tracer
    private let encoder: SpanEncoder
    private let client: any HTTPClient
    private let logger: Logger
    private let times: Times
    private let retry: ExportRetry
    private let headers: Locked<HTTPHeaders>
    private let executor = WaitingExecutor()
    private let report = Locked(LossReport())
    private let ending = Locked(Ending())
    private let closing = Latch()
    private let ended = Latch()

    /// Exports the spans that `tracer` takes, from ``start()`` on.
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
        times: Times = Times(),
        retry: ExportRetry = ExportRetry()
    ) {
        self.url = url
        agent = encoder.agent
        self.tracer = tracer
        self.encoder = encoder
        self.client = client
        self.logger = logger
        self.times = times
        self.retry = retry
        self.headers = Locked(headers.fields)
    }

    /// Those who are served go first where processors are scarce.
    private static let niceness: CInt = 10

    /// Starts the thread.
    package func start() {
        SystemThread.start(name: "traces", niceness: Self.niceness) { [self] in
            run()
            ended.open()
        }
    }

    /// Sends these header fields from the next request on. Any thread. Returns whether they are
    /// others.
    package func send(_ headers: ExportHeaders) -> Bool {
        self.headers.withLock { old in
            defer { old = headers.fields }
            return old != headers.fields
        }
    }

    /// Takes no more spans, exports what waits, and ends the thread; what is not exported when the
    /// seconds are over is lost. After ``start()``.
    package func close(seconds: Double) {
        ending.withLock { $0.deadline = $0.deadline ?? Deadline(seconds: seconds) }
        closing.open()
        tracer.queue.close()
        if !ended.wait(seconds: seconds) {
            ending.withLock { $0.task }?.cancel()
            // The thread notes what it was about to send.
            _ = ended.wait(seconds: Self.cancelSecondsMax)
        }
        let lost = tracer.queue.removeAll()
        if lost > 0 {
            tracer.counts.failed(lost)
            logger.warning(.tracesFailed, "\(lost) spans are not exported: the server stops")
        }
    }

    /// How long a stop waits for the end of a request that it has cancelled.
    private static let cancelSecondsMax = 0.2
}

// The thread

extension SpanExporter {
    private func run() {
        var dropped: UInt64 = 0
        while true {
            let batch = tracer.queue.next(within: times.interval)
            guard !batch.isEmpty else { return }
            if secondsLeft <= 0 {
                lose(batch.count, because: "the server stops")
                continue
            }
            export(batch)
            let total = tracer.queue.droppedTotal
            if total > dropped { noteTrouble("more came than the queue holds") }
            dropped = total
        }
    }

    /// How long an attempt may take.
    private var secondsLeft: Double {
        min(times.request, ending.withLock { $0.deadline?.left } ?? .infinity)
    }

    /// Sends a batch until it is taken, or is to be given up.
    private func export(_ batch: [Span]) {
        let body = encoder.body(batch)
        var attempt = 1
        while true {
            let result = send(body, seconds: secondsLeft)
            let jitter = Double.random(in: 0...1)
            switch retry.step(after: result, attempt: attempt, jitter: jitter) {
            case .done(let refused, let reason):
                let refused = min(refused, batch.count)
                tracer.counts.exported(batch.count - refused)
                if refused == 0 { return noteSuccess() }
                return lose(refused, because: "the collector refuses them: \(reason)")
            case .retry(let seconds, let reason):
                noteTrouble(reason)
                // A stop ends the pause, and gives the batch one more attempt.
                let isStopping = closing.wait(seconds: seconds)
                guard secondsLeft > 0, !isStopping || attempt < retry.attemptsMax else {
                    return lose(batch.count, because: reason)
                }
                attempt = isStopping ? retry.attemptsMax : attempt + 1
            case .giveUp(let reason): return lose(batch.count, because: reason)
            }
        }
    }

    /// Makes one request, and waits for its end.
    private func send(
        _ body: [UInt8],
        seconds: Double
    ) -> Result<HTTPResponse, HTTPClientError> {
        var request = HTTPRequest(
            .post,
            url,
            headers: headers.withLock { $0 },
            body: body,
            timeout: .seconds(seconds)
        )
        request.headers.add("Content-Type", "application/json")
        if request.headers["user-agent"] == nil { request.headers.add("User-Agent", agent) }
        request.responseBytesMax = Self.responseBytesMax
        let result = Locked<Result<HTTPResponse, HTTPClientError>?>(nil)
        let task = Task(executorPreference: executor) { [client, request] in
            let answer: Result<HTTPResponse, HTTPClientError>
            do {
                answer = .success(try await client.response(to: request))
            } catch {
                answer = .failure(
                    error as? HTTPClientError
                        ?? HTTPClientError(.timeout, request, "the server stops")
                )
            }
            result.withLock { $0 = answer }
        }
        ending.withLock { $0.task = task }
        defer { ending.withLock { $0.task = nil } }
        // The client keeps the time; this is for one that can't.
        executor.run(for: seconds + Self.graceSeconds) { result.withLock { $0 != nil } }
        if let result = result.withLock({ $0 }) { return result }
        task.cancel()
        return .failure(HTTPClientError(.timeout, request, "no answer within \(seconds) s"))
    }

    /// The most bytes of a collector's answer that are read.
    private static let responseBytesMax = 64 << 10
    private static let graceSeconds = 1.0
}

// What the log has of it

extension SpanExporter {
    /// Counts spans that are given up.
    private func lose(_ count: Int, because reason: String) {
        tracer.counts.failed(count)
        noteTrouble(reason)
    }

    /// Writes a line where the log has had none of this for a while.
    private func noteTrouble(_ reason: String) {
        guard report.withLock({ $0.lost(at: .now) }) else { return }
        logger.warning(
            .tracesFailed,
            "spans are not exported to \(url): \(reason); \(lostTotal) are lost so far"
        )
    }

    private func noteSuccess() {
        guard report.withLock({ $0.wrote() }) else { return }
        logger.notice(
            .tracesExported,
            "spans are exported again; \(lostTotal) are lost so far"
        )
    }

    private var lostTotal: UInt64 { tracer.counts.failedTotal + tracer.queue.droppedTotal }
}
