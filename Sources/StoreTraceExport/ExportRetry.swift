import StoreHTTPClient
import StoreWire

/// What is to be done after a batch was sent.
enum ExportStep: Equatable {
    /// The collector has the batch, but for so many of its spans, which it refuses for this reason.
    case done(refused: Int, because: String)
    /// It is to be sent again in so many seconds.
    case retry(inSeconds: Double, because: String)
    /// It is given up.
    case giveUp(because: String)
}

/// How often a batch is sent, as OTLP has it: again where the collector could not be reached or has
/// too much to do, and not where it refuses what it gets.
///
/// <https://opentelemetry.io/docs/specs/otlp/#failures-1>
struct ExportRetry: Sendable {
    /// The most times that a batch is sent.
    var attemptsMax = 5
    /// The first pause; each one after it is twice as long.
    var pauseSeconds = 1.0
    /// The longest pause, also where the collector asks for a longer one.
    var pauseSecondsMax = 30.0

    private static let retriedStatuses = [429, 502, 503, 504]
    private static let reasonBytesMax = 200

    /// What follows an attempt, of which the first is 1. A pause is half as long as it may be, and
    /// by `jitter` of the other half longer (0 to 1), so that many servers do not come back at the
    /// same time.
    func step(
        after result: Result<HTTPResponse, HTTPClientError>,
        attempt: Int,
        jitter: Double
    ) -> ExportStep {
        switch result {
        case .success(let response) where response.isSuccess: return Self.accepted(response)
        case .success(let response):
            let reason = "the collector answers \(response.status)"
            guard Self.retriedStatuses.contains(response.status) else {
                return .giveUp(because: reason)
            }
            return again(attempt, jitter, reason, asked: response.retryAfterSeconds)
        case .failure(let error):
            let reason = Self.excerpt(error.cause)
            guard [.unreachable, .timeout, .malformed, .busy].contains(error.code) else {
                return .giveUp(because: reason)
            }
            return again(attempt, jitter, reason, asked: nil)
        }
    }

    private func again(
        _ attempt: Int,
        _ jitter: Double,
        _ reason: String,
        asked seconds: Double?
    ) -> ExportStep {
        guard attempt < attemptsMax else { return .giveUp(because: reason) }
        var pause = pauseSeconds
        for _ in 1..<attempt { pause *= 2 }
        pause *= 0.5 + jitter / 2
        return .retry(
            inSeconds: min(pauseSecondsMax, max(seconds ?? 0, pause)),
            because: reason
        )
    }

    /// A collector that takes a part says how many it refuses (`ExportTracePartialSuccess`).
    private static func accepted(_ response: HTTPResponse) -> ExportStep {
        guard let document = try? JSONDocument(parsing: response.body, limits: JSONLimits()),
            document.root.kind == .object,
            let partial = document.root.member("partialSuccess"), partial.kind == .object,
            let refused = partial.member("rejectedSpans")
        else { return .done(refused: 0, because: "") }
        // A number of 64 bits is a text, and some write a number.
        let count = Int(refused.stringValue ?? refused.sourceText) ?? 0
        let reason = partial.member("errorMessage")?.stringValue ?? ""
        return .done(refused: max(0, count), because: excerpt(reason))
    }

    private static func excerpt(_ text: String) -> String {
        String(decoding: text.utf8.prefix(reasonBytesMax), as: UTF8.self)
    }
}
