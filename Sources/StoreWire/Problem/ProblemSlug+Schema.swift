extension ProblemSlug {
    /// The members of this kind of problem that RFC 9457 does not define (protocol 8.1).
    package var ownMembers: [JSONSchema.Property] {
        let count = JSONSchema.integer(minimum: 0, maximum: .max)
        return switch self {
        case .malformedJSON: [.init("offset", count)]
        case .refused:
            [.init("reason", .string()), .init("pointer", .string(), isRequired: false)]
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
        case .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .timeout,
            .misdirected, .unsupportedMediaType, .idempotencyMismatch, .tooManyRequests,
            .viewFailed, .versionUnreadable, .overloaded, .streamLimit, .versionNotSupported,
            .storageFull:
            []
        case .draining: [.init("stores", .array(of: .string()), isRequired: false)]
        }
    }

    /// The headers of this kind of problem.
    package var ownHeaders: [String] {
        switch self {
        case .unauthorized: ["WWW-Authenticate"]
        case .methodNotAllowed: ["Allow"]
        case .unsupportedMediaType: ["Accept"]
        case .tooManyRequests, .overloaded, .draining, .streamLimit, .storageFull: ["Retry-After"]
        default: []
        }
    }

    /// The headers that the server adds to every response with such a problem.
    package var headersBeside: [String] {
        self == .tooManyRequests ? ["RateLimit", "RateLimit-Policy"] : []
    }

    /// The schema of the whole body of this kind of problem.
    package var schema: JSONSchema {
        .object(
            [
                .init("type", .strings([path])),
                .init("title", .string()),
                .init("status", .integers([Int64(status)])),
                .init("detail", .string()),
                .init("instance", .string(), isRequired: false),
                .init("store", .string(), isRequired: false),
            ] + ownMembers
        )
    }
}
