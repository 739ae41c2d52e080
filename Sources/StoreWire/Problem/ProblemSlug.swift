/// The kinds of errors that the server answers with (protocol 8.1), with their names in
/// `/problems/<slug>`.
package enum ProblemSlug: String, Sendable, CaseIterable {
    case malformedJSON = "malformed-json"
    case badRequest = "bad-request"
    case unauthorized
    case forbidden
    case notFound = "not-found"
    case methodNotAllowed = "method-not-allowed"
    case timeout
    case misdirected
    case refused
    case gone
    case versionMismatch = "version-mismatch"
    case tooLarge = "too-large"
    case uriTooLong = "uri-too-long"
    case headersTooLarge = "headers-too-large"
    case unsupportedMediaType = "unsupported-media-type"
    case unknownAction = "unknown-action"
    case invalidPayload = "invalid-payload"
    case idempotencyMismatch = "idempotency-mismatch"
    case effectFailed = "effect-failed"
    case viewFailed = "view-failed"
    case versionUnreadable = "version-unreadable"
    case tooManyRequests = "too-many-requests"
    case overloaded
    case draining
    case streamLimit = "stream-limit"
    case versionNotSupported = "version-not-supported"
    case storageFull = "storage-full"

    /// The HTTP status of this kind, always the same.
    package var status: Int {
        switch self {
        case .malformedJSON, .badRequest: 400
        case .unauthorized: 401
        case .forbidden: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .timeout: 408
        case .refused: 409
        case .gone: 410
        case .versionMismatch: 412
        case .tooLarge: 413
        case .uriTooLong: 414
        case .unsupportedMediaType: 415
        case .misdirected: 421
        case .unknownAction, .invalidPayload, .idempotencyMismatch: 422
        case .effectFailed: 424
        case .tooManyRequests: 429
        case .headersTooLarge: 431
        case .viewFailed, .versionUnreadable: 500
        case .overloaded, .draining, .streamLimit: 503
        case .versionNotSupported: 505
        case .storageFull: 507
        }
    }

    /// The relative reference in a problem's `type` member, which is also the path of its page.
    package var path: String { "/problems/\(rawValue)" }
}
