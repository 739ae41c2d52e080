import StoreCurl
import StoreJSON

/// The verdict about a batch that was sent: the batch is done, is sent again, or is given up.
enum ExportVerdict: Equatable {
    /// The collector has taken the batch, except for `refusedCount` spans. `because` is the
    /// collector's reason for the refusal.
    case accepted(refusedCount: Int, because: String)
    /// The batch is to be sent again after this time.
    case retry(inSeconds: Double, because: String)
    /// The batch is given up.
    case giveUp(because: String)
}

/// The rules of OTLP for sending a batch again. A batch is sent again if the collector could not be
/// reached or is overloaded, but not if the collector refuses it.
///
/// <https://opentelemetry.io/docs/specs/otlp/#failures-1>
struct ExportRetry: Sendable {
    /// The maximum number of attempts for a batch.
    var attemptsMax = 5
    /// The first pause, in seconds; each later pause is twice as long.
    var firstPauseSeconds = 1.0
    /// The longest pause in seconds, even if the collector asks for a longer pause.
    var pauseSecondsMax = 30.0

    private static let reasonBytesMax = 200

    /// Returns the verdict after an attempt; the first attempt has the number 1. A pause lasts for
    /// half of its full length, and for the fraction `jitter` (0 to 1) of the other half. So
    /// servers do not all send again at the same time.
    func verdict(
        after result: Result<HTTPResponse, HTTPClientError>,
        attempt: Int,
        jitter: Double
    ) -> ExportVerdict {
        let reason: String
        let isTemporary: Bool
        var requestedPauseSeconds = 0.0
        switch result {
        case .success(let response) where response.isSuccess:
            return Self.verdictAfterSuccess(response)
        case .success(let response):
            reason = "the collector answers \(response.status)"
            isTemporary = [429, 502, 503, 504].contains(response.status)
            requestedPauseSeconds = response.retryAfterSeconds ?? 0
        case .failure(let error):
            reason = Self.excerpt(error.cause)
            isTemporary = [.unreachable, .timeout, .malformed, .busy].contains(error.code)
        }
        guard isTemporary, attempt < attemptsMax else { return .giveUp(because: reason) }
        let full = firstPauseSeconds * Double(1 << (attempt - 1))
        let pause = max(requestedPauseSeconds, full * (0.5 + jitter / 2))
        return .retry(inSeconds: min(pauseSecondsMax, pause), because: reason)
    }

    /// Reads the number of refused spans from the answer of a collector that takes a part of the
    /// batch (`ExportTracePartialSuccess`).
    private static func verdictAfterSuccess(_ response: HTTPResponse) -> ExportVerdict {
        guard let document = try? JSONDocument(parsing: response.body, limits: JSONLimits()),
            document.root.kind == .object,
            let partial = document.root.member("partialSuccess"), partial.kind == .object,
            let refused = partial.member("rejectedSpans")
        else { return .accepted(refusedCount: 0, because: "") }
        // OTLP writes this number of 64 bits as a JSON string, but some collectors write a JSON
        // number.
        let count = Int(refused.stringValue ?? refused.sourceText) ?? 0
        let reason = partial.member("errorMessage")?.stringValue ?? ""
        return .accepted(refusedCount: max(0, count), because: excerpt(reason))
    }

    private static func excerpt(_ text: String) -> String {
        String(decoding: text.utf8.prefix(reasonBytesMax), as: UTF8.self)
    }
}
