import StoreCurl
import Testing

@testable import StoreTraceExport

@Suite struct ExportRetryTests {
    private let retry = ExportRetry()

    private func step(
        _ status: Int,
        _ headers: HTTPHeaders = [:],
        _ body: String = "",
        attempt: Int = 1,
        jitter: Double = 1
    ) -> ExportVerdict {
        let response = HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
        return retry.verdict(after: .success(response), attempt: attempt, jitter: jitter)
    }

    private func step(_ code: HTTPClientError.Code, attempt: Int = 1) -> ExportVerdict {
        let error = HTTPClientError(code, .get("http://c"), "words")
        return retry.verdict(after: .failure(error), attempt: attempt, jitter: 1)
    }

    @Test(arguments: [429, 502, 503, 504])
    func `a busy collector is asked again`(status: Int) {
        #expect(
            step(status) == .retry(inSeconds: 1, because: "the collector answers \(status)")
        )
    }

    @Test(arguments: [301, 400, 401, 404, 413, 415, 500, 501])
    func `a collector that refuses is not asked again`(status: Int) {
        #expect(step(status) == .giveUp(because: "the collector answers \(status)"))
    }

    @Test func `an unreachable collector is asked again, and a wrong certificate is final`() {
        for code in [HTTPClientError.Code.unreachable, .timeout, .malformed, .busy] {
            #expect(step(code) == .retry(inSeconds: 1, because: "words"))
            #expect(step(code, attempt: 5) == .giveUp(because: "words"))
        }
        for code in [HTTPClientError.Code.certificate, .request, .tooLarge] {
            #expect(step(code) == .giveUp(because: "words"))
        }
    }

    @Test func `pauses double up to a bound, and differ`() {
        let reason = "the collector answers 503"
        #expect(step(503, attempt: 4) == .retry(inSeconds: 8, because: reason))
        #expect(step(503, attempt: 4, jitter: 0) == .retry(inSeconds: 4, because: reason))
        #expect(step(503, attempt: 5) == .giveUp(because: reason))
    }

    @Test(arguments: [
        ("7", 7.0), ("0", 1.0), ("100000", 30.0), ("Sun, 06 Nov 1994 08:49:37 GMT", 1.0),
        ("Fri, 31 Dec 2100 00:00:00 GMT", 30.0), ("soon", 1.0), ("", 1.0),
    ])
    func `the collector says when to come back, within a bound`(text: String, seconds: Double) {
        #expect(
            step(503, ["Retry-After": text])
                == .retry(inSeconds: seconds, because: "the collector answers 503")
        )
    }

    @Test(arguments: [
        ("", 0, ""), ("{}", 0, ""), ("{\"partialSuccess\":{}}", 0, ""),
        ("{\"partialSuccess\":{\"rejectedSpans\":\"3\",\"errorMessage\":\"old\"}}", 3, "old"),
        ("{\"partialSuccess\":{\"rejectedSpans\":2}}", 2, ""),
        ("{\"partialSuccess\":{\"rejectedSpans\":-1}}", 0, ""), ("<html>", 0, ""), ("[]", 0, ""),
    ])
    func `a collector may refuse some spans`(body: String, refused: Int, reason: String) {
        #expect(step(200, [:], body) == .accepted(refusedCount: refused, because: reason))
    }
}
