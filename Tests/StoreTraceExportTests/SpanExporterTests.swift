import StoreCurl
import StorePlatform
import StoreTelemetry
import StoreTraces
import Synchronization
import Testing

@testable import StoreTraceExport

/// A collector that gives its answers in turn, and then repeats the last answer.
private final class ScriptedCollector: HTTPClient {
    let requests = Locked<[HTTPRequest]>([])
    /// A latch that opens when each answer has been requested.
    let isAsked = Latch()
    private let answers: Locked<[Result<HTTPResponse, HTTPClientError>]>
    private let askedMin: Int

    init(_ answers: Result<HTTPResponse, HTTPClientError>..., asked: Int? = nil) {
        askedMin = asked ?? answers.count
        self.answers = Locked(answers)
    }

    func response(to request: HTTPRequest) async throws -> HTTPResponse {
        let count = requests.withLock { requests in
            requests.append(request)
            return requests.count
        }
        if count == askedMin { isAsked.open() }
        let answer = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
        guard let answer else {
            // This collector never answers.
            try await Task.sleep(for: .seconds(3_600))
            throw HTTPClientError(.timeout, request, "unreached")
        }
        return try answer.get()
    }
}

@Suite struct SpanExporterTests {
    private static let good = Result<HTTPResponse, HTTPClientError>.success(
        HTTPResponse(status: 200)
    )

    private static func answer(_ status: Int) -> Result<HTTPResponse, HTTPClientError> {
        .success(HTTPResponse(status: status))
    }

    private let tracer = Tracer(SpanQueue(spansMax: 1_000, batchSpansMax: 512), ratio: 1)

    private func exporter(
        _ collector: ScriptedCollector,
        _ headers: ExportHeaders = ExportHeaders(),
        interval: Double = 0
    ) -> SpanExporter {
        var times = SpanExporter.TimeLimits()
        times.batchWaitSecondsMax = interval
        let retry = ExportRetry(attemptsMax: 3, firstPauseSeconds: 0, pauseSecondsMax: 0)
        return SpanExporter(
            to: "http://collector/v1/traces",
            tracer,
            SpanEncoder(resourceAttributes: [], scopeVersion: "1"),
            headers: headers,
            through: collector,
            logger: Logger(LogWriter { _ in }),
            times: times,
            retry: retry
        )
    }

    private func record(_ count: Int) {
        for _ in 0..<count {
            tracer.record(Span(.root(), .internal, "a", from: .now, to: .now, []))
        }
    }

    @Test func `batches are posted as JSON, with the header fields of the file`() throws {
        let collector = ScriptedCollector(Self.good)
        let exporter = exporter(collector, try ExportHeaders(Array("Authorization: B".utf8)))
        record(600)
        exporter.start()
        exporter.close(seconds: 10)
        let requests = collector.requests.withLock { $0 }
        #expect(requests.count == 2)
        for request in requests {
            #expect(request.method == .post && request.url == "http://collector/v1/traces")
            #expect(request.headers["content-type"] == "application/json")
            #expect(request.headers["authorization"] == "B")
            #expect(request.timeout <= .seconds(10))
        }
        #expect(tracer.counts.exportedTotal == 600 && tracer.counts.failedTotal == 0)
    }

    @Test func `a batch is sent again until it is taken, and only then`() {
        let collector = ScriptedCollector(Self.answer(503), Self.answer(429), Self.good)
        let exporter = exporter(collector)
        exporter.start()
        record(1)
        #expect(collector.isAsked.wait(seconds: 10))
        exporter.close(seconds: 10)
        let bodies = collector.requests.withLock { $0.map(\.body) }
        #expect(bodies.count == 3 && Set(bodies).count == 1)
        #expect(tracer.counts.exportedTotal == 1 && tracer.counts.failedTotal == 0)
    }

    @Test func `a batch that is refused for too long is given up and counted`() {
        let collector = ScriptedCollector(Self.answer(503), asked: 3)
        let exporter = exporter(collector)
        exporter.start()
        record(1)
        #expect(collector.isAsked.wait(seconds: 10))
        exporter.close(seconds: 10)
        #expect(collector.requests.withLock { $0.count } == 3)
        #expect(tracer.counts.failedTotal == 1 && tracer.counts.exportedTotal == 0)
    }

    @Test func `spans that a collector refuses are counted`() {
        let body = Array("{\"partialSuccess\":{\"rejectedSpans\":\"4\"}}".utf8)
        let collector = ScriptedCollector(.success(HTTPResponse(status: 200, body: body)))
        let exporter = exporter(collector)
        record(10)
        exporter.start()
        exporter.close(seconds: 10)
        #expect(tracer.counts.exportedTotal == 6 && tracer.counts.failedTotal == 4)
    }

    @Test func `a stop gives up on a collector that does not answer`() {
        let exporter = exporter(ScriptedCollector())
        record(600)
        exporter.start()
        let began = ContinuousClock.now
        exporter.close(seconds: 0.2)
        #expect(began.duration(to: .now) < .seconds(2))
        #expect(tracer.counts.exportedTotal == 0 && tracer.counts.failedTotal == 600)
        record(1)
        #expect(tracer.queue.droppedTotal == 1)
    }

    @Test func `a stop does not wait for the interval`() {
        let exporter = exporter(ScriptedCollector(Self.good), interval: 3_600)
        exporter.start()
        record(1)
        exporter.close(seconds: 60)
        #expect(tracer.counts.exportedTotal == 1)
    }
}
