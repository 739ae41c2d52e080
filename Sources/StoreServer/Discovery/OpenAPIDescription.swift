import Wire

/// What `GET /openapi.json` answers: every route as this server serves it.
struct OpenAPIDescription {
    let title: String
    let version: String
    let components: [JSONSchema.Property]

    var document: Bytes {
        OpenAPI(
            title: title,
            apiVersion: version,
            summary: "A Redux-style store: actions in, one version line, the state out.",
            routes: [dispatch] + state + [events] + discovery + operation,
            components: components
        ).bytes
    }

    private var dispatch: OpenAPI.Route {
        OpenAPI.Route(
            "post",
            "/dispatch",
            id: "dispatch",
            summary: "Apply one action, or an array of them whole or not at all.",
            parameters: [
                .init("dry-run", in: .query, .boolean, summary: "Show what would change instead."),
                .init("Prefer", in: .header, summary: "return=representation, wait=N (RFC 7240)."),
                .init("If-Match", in: .header, summary: "Apply only if this is the current tag."),
            ],
            body: .json(.reference("Dispatch")),
            answers: [
                .init(
                    200,
                    "Applied; or, for a dry run, what would be.",
                    headers: ["ETag", "Preference-Applied"],
                    bodies: [.json(.anyOf([applied, dryRun]))]
                )
            ],
            problems: [
                .malformedJSON, .badRequest, .refused, .versionMismatch, .tooLarge,
                .unsupportedMediaType, .unknownAction, .invalidPayload, .overloaded, .draining,
                .storageFull, .timeout, .misdirected,
            ]
        )
    }

    private var applied: JSONSchema {
        .object([
            .init("epoch", .string()), .init("first", unsigned, isRequired: false),
            .init("version", unsigned), .init("changed", .boolean),
            .init("completed", .boolean, isRequired: false),
            .init("state", .reference("State"), isRequired: false),
        ])
    }

    private var dryRun: JSONSchema {
        .object([
            .init("changed", .boolean),
            .init(
                "patch",
                .array(of: .object([.init("op", .string()), .init("path", .string())]))
            ),
        ])
    }

    private var unsigned: JSONSchema { .integer(minimum: 0, maximum: .max) }

    private var state: [OpenAPI.Route] {
        let poll: [OpenAPI.Parameter] = [
            .init("after", in: .query, unsigned, summary: "Answer when the version is greater."),
            .init(
                "wait",
                in: .query,
                .integer(minimum: 0, maximum: 60),
                summary: "Seconds to wait for that."
            ),
            .init("If-None-Match", in: .header, summary: "The tag that is known already."),
        ]
        let pointer = OpenAPI.Parameter(
            "pointer",
            in: .path,
            summary: "A JSON Pointer (RFC 6901) without its first slash."
        )
        let whole = OpenAPI.Answer(
            200,
            "The state.",
            headers: ["ETag"],
            bodies: [.json(.reference("State"))]
        )
        let part = OpenAPI.Answer(200, "The part.", headers: ["ETag"], bodies: [.json(.any)])
        let known = OpenAPI.Answer(304, "Nothing newer than what is known.", headers: ["ETag"])
        let problems: [ProblemSlug] = [.badRequest, .misdirected, .draining]
        return [
            .init(
                "get",
                "/state",
                id: "getState",
                summary: "The state.",
                parameters: poll,
                answers: [whole, known],
                problems: problems
            ),
            .init(
                "head",
                "/state",
                id: "headState",
                summary: "The state's headers.",
                parameters: poll,
                answers: [.init(200, "The headers.", headers: ["ETag"]), known],
                problems: problems
            ),
            .init(
                "get",
                "/state/{pointer}",
                id: "getPart",
                summary: "A part of the state.",
                parameters: [pointer] + poll,
                answers: [part, known],
                problems: problems + [.notFound]
            ),
        ]
    }

    private var events: OpenAPI.Route {
        OpenAPI.Route(
            "get",
            "/events",
            id: "events",
            summary: "The state now and whenever it is published, as server-sent events.",
            parameters: [
                .init("mode", in: .query, .strings(["snapshot"]), summary: "What events carry."),
                .init("last_event_id", in: .query, summary: "Go on after this tag."),
                .init("Last-Event-ID", in: .header, summary: "Go on after this tag."),
            ],
            answers: [.init(200, "The stream.", bodies: [.init("text/event-stream")])],
            problems: [.badRequest, .misdirected, .streamLimit, .draining]
        )
    }

    private var discovery: [OpenAPI.Route] {
        [
            .init(
                "get",
                "/schema",
                id: "schema",
                summary: "JSON Schema of the state and the actions.",
                answers: [.init(200, "The schema.", bodies: [.init("application/schema+json")])],
                problems: [.badRequest, .misdirected]
            ),
            .init(
                "get",
                "/openapi.json",
                id: "openapi",
                summary: "This document.",
                answers: [.init(200, "The document.", bodies: [.json(.any)])],
                problems: [.badRequest, .misdirected]
            ),
            .init(
                "get",
                "/problems/{slug}",
                id: "problem",
                summary: "What a kind of problem means.",
                parameters: [.init("slug", in: .path, summary: "The kind's name.")],
                answers: [.init(200, "A page.", bodies: [.init("text/html")])],
                problems: [.badRequest, .misdirected, .notFound]
            ),
        ]
    }

    private var operation: [OpenAPI.Route] {
        [
            .init(
                "get",
                "/livez",
                id: "live",
                summary: "Whether the process works.",
                answers: [.init(200, "It does.", bodies: [.init("text/plain")])],
                problems: [.badRequest, .misdirected]
            ),
            .init(
                "get",
                "/readyz",
                id: "ready",
                summary: "Whether the server wants requests.",
                answers: [.init(200, "It does.", bodies: [.init("text/plain")])],
                problems: [.badRequest, .misdirected, .draining]
            ),
        ]
    }
}
