package import StoreJSONSchema

/// The kinds of problems that the server answers with (protocol 8.1). The raw value of a kind is
/// its name in the path `/problems/<slug>`.
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
    case httpVersionNotSupported = "version-not-supported"
    case storageFull = "storage-full"

    /// The HTTP status of all problems of this kind.
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
        case .httpVersionNotSupported: 505
        case .storageFull: 507
        }
    }

    /// The value of the member `type` in problems of this kind. This relative reference is also the
    /// path of the kind's page.
    package var path: String { "/problems/\(rawValue)" }
}

// Schema

extension ProblemSlug {
    /// The members of this kind of problem that RFC 9457 does not define (protocol 8.1).
    package var extensionMembers: [JSONSchema.Property] {
        let count = JSONSchema.integer(minimum: 0, maximum: .max)
        return switch self {
        case .malformedJSON: [.init("offset", count)]
        case .refused: [.init("reason", .string()), .init("pointer", .string(), isRequired: false)]
        case .gone: [.init("oldest", count)]
        case .versionMismatch: [.init("epoch", .string()), .init("version", count)]
        case .tooLarge, .uriTooLong, .headersTooLarge: [.init("limit", count)]
        case .unknownAction:
            [
                .init("known", .array(of: .string())),
                .init("nearest", .string(), isRequired: false),
                .init("pointer", .string(), isRequired: false),
            ]
        case .effectFailed:
            [.init("epoch", .string()), .init("version", count), .init("reason", .string())]
        case .invalidPayload: [.init("pointer", .string()), .init("expected", .string())]
        case .draining: [.init("stores", .array(of: .string()), isRequired: false)]
        default: []
        }
    }

    /// The names of the headers that problems of this kind have.
    package var headerNames: [String] {
        switch self {
        case .unauthorized: ["WWW-Authenticate"]
        case .methodNotAllowed: ["Allow"]
        case .unsupportedMediaType: ["Accept", "Accept-Encoding"]
        case .tooManyRequests, .overloaded, .draining, .streamLimit, .storageFull: ["Retry-After"]
        default: []
        }
    }

    /// The names of further headers that the server adds to responses with a problem of this kind.
    package var rateLimitHeaderNames: [String] {
        self == .tooManyRequests ? ["RateLimit", "RateLimit-Policy"] : []
    }

    /// The schema of the whole body of a response with a problem of this kind.
    package var schema: JSONSchema {
        .object(
            [
                .init("type", .stringEnum([path])),
                .init("title", .string()),
                .init("status", .integerEnum([Int64(status)])),
                .init("detail", .string()),
                .init("instance", .string(), isRequired: false),
                .init("store", .string(), isRequired: false),
            ] + extensionMembers
        )
    }
}
