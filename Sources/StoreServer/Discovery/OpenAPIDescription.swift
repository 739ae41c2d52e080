import EventStream
import Wire

/// What `GET /openapi.json` answers: every route as this server serves it.
struct OpenAPIDescription {
    let title: String
    let version: String
    let components: [JSONSchema.Property]
    /// Whether the operator's debug surface is switched on.
    let hasDebugRoutes: Bool
    let hasTestClock: Bool
    /// The modules that the state is made of, if it is.
    var modules: ModulesDescription?
    /// The notifications that the program makes actions of.
    var notifications: [String] = []

    var document: Bytes {
        OpenAPI(
            title: title,
            apiVersion: version,
            summary: "A Redux-style store: actions in, one version line, the state out.",
            routes: [dispatch] + state + [events] + log + (modules.map(routes) ?? [])
                + notifications.map(notify) + discovery
                + operation
                + (hasDebugRoutes ? debug : []) + (hasTestClock ? testClock : []),
            components: components
        ).bytes
    }

    /// What every route may answer with, before it is even looked for.
    static let always: [ProblemSlug] = [
        .badRequest, .timeout, .tooLarge, .uriTooLong, .misdirected, .headersTooLarge, .overloaded,
    ]

    private var dispatch: OpenAPI.Route {
        OpenAPI.Route(
            "post",
            "/dispatch",
            id: "dispatch",
            summary: "Apply one action, or an array of them whole or not at all.",
            parameters: [
                .init("dry-run", in: .query, .boolean, summary: "Show what would change instead."),
                cancelOnClose,
                .init("Prefer", in: .header, summary: "return=representation, wait=N (RFC 7240)."),
                .init(
                    "If-Match",
                    in: .header,
                    .text(pattern: Self.entityTags),
                    summary: "Apply only if this is the current tag; anything but * and quoted "
                        + "tags, and so an empty value, is 400."
                ),
            ],
            body: .json(.reference("Dispatch")),
            answers: [
                .init(
                    200,
                    "Applied; or, for a dry run, what would be.",
                    headers: ["ETag", "Preference-Applied"],
                    bodies: [.json(.anyOf([applied, dryRun]))]
                )
            ]
                + (modules == nil
                    ? []
                    : [
                        .init(
                            202,
                            "Applied, but what follows takes longer than the client waits.",
                            headers: ["ETag", "Preference-Applied"],
                            bodies: [.json(applied)]
                        )
                    ]),
            problems: Self.always + [
                .malformedJSON, .refused, .versionMismatch, .unsupportedMediaType, .unknownAction,
                .invalidPayload, .idempotencyMismatch, .draining, .storageFull,
            ] + (modules == nil ? [] : [.forbidden, .effectFailed])
        )
    }

    /// Whether effects are cancelled with the request that waits for them.
    var cancelOnClose: OpenAPI.Parameter {
        .init(
            CancelOnClose.parameter,
            in: .query,
            .strings([CancelOnClose.word]),
            summary: "Cancel effects where you close while you wait for them."
        )
    }

    /// `*`, or entity tags with commas between them (RFC 9110 §13.1.1).
    private static let entityTags =
        #"^(\*|(W/)?"[!#-~]*"([ \t]*,[ \t]*(W/)?"[!#-~]*")*)$"#

    private var applied: JSONSchema {
        .object([
            .init("epoch", .string()), .init("first", unsigned, isRequired: false),
            .init("version", unsigned), .init("changed", .boolean),
            .init("completed", .boolean, isRequired: false),
            .init("value", .any, isRequired: false),
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

    var unsigned: JSONSchema { .integer(minimum: 0, maximum: .max) }

    private var state: [OpenAPI.Route] {
        let poll: [OpenAPI.Parameter] = [
            .init(
                "after",
                in: .query,
                unsigned,
                summary: "Answer only if the version is greater; without wait, at once."
            ),
            .init(
                "wait",
                in: .query,
                .integer(minimum: 0, maximum: UInt64(ClientWait.secondsMax)),
                summary: "Seconds to wait for that. Needs after, or the answer is 400."
            ),
            .init("If-None-Match", in: .header, summary: "The tag that is known already."),
        ]
        let pointer = OpenAPI.Parameter(
            "pointer",
            in: .path,
            .text(pattern: "^([^~]|~[01])+$"),
            summary: "A JSON Pointer (RFC 6901) without its first slash; those within are kept."
        )
        let known = OpenAPI.Answer(304, "Nothing newer than what is known.", headers: ["ETag"])
        return read(
            "/state",
            "State",
            summary: "The state.",
            parameters: poll,
            answers: [
                .init(
                    200,
                    "The state.",
                    headers: ["ETag"],
                    bodies: [.json(.reference("State"))]
                ), known,
            ],
            problems: [.draining]
        )
            + read(
                "/state/{pointer}",
                "Part",
                summary: "A part of the state.",
                parameters: [pointer] + poll,
                answers: [
                    .init(200, "The part.", headers: ["ETag"], bodies: [.json(.any)]), known,
                ],
                problems: [.draining, .notFound]
            )
    }

    private var events: OpenAPI.Route {
        OpenAPI.Route(
            "get",
            "/events",
            id: "events",
            summary: "The state now and whenever it is published, as server-sent events.",
            parameters: [
                Self.mode,
                .init(
                    "path",
                    in: .query,
                    .text(pattern: "^(/([^~/]|~[01])*)*$"),
                    summary: "A JSON Pointer (RFC 6901) to the part of the state that is streamed."
                ),
                .init("last_event_id", in: .query, summary: "Go on after this tag."),
                .init(
                    "subscriber",
                    in: .query,
                    .text(pattern: "^[!-~]{1,128}$"),
                    summary: "By what actions may mean this stream."
                ),
                .init("Last-Event-ID", in: .header, summary: "Go on after this tag."),
            ],
            answers: [.init(200, "The stream.", bodies: [.init("text/event-stream")])],
            problems: Self.always + [.draining, .streamLimit, .overloaded]
        )
    }

    /// What the events of a stream carry.
    static var mode: OpenAPI.Parameter {
        .init(
            "mode",
            in: .query,
            .strings(StreamMode.allCases.map(\.rawValue)),
            summary: "What events carry: the whole, or a JSON Patch (RFC 6902) after the first."
        )
    }

    private var discovery: [OpenAPI.Route] {
        read(
            "/schema",
            "Schema",
            summary: "JSON Schema of the state and the actions.",
            answers: [.init(200, "The schema.", bodies: [.init("application/schema+json")])],
            problems: [.draining]
        )
            + read(
                "/openapi.json",
                "OpenAPI",
                summary: "This document.",
                answers: [.init(200, "The document.", bodies: [.json(.any)])],
                problems: [.draining]
            )
            + read(
                "/problems/{slug}",
                "Problem",
                summary: "What a kind of problem means.",
                parameters: [
                    .init(
                        "slug",
                        in: .path,
                        .strings(ProblemSlug.allCases.map(\.rawValue)),
                        summary: "The kind's name."
                    )
                ],
                answers: [.init(200, "A page.", bodies: [.init("text/html")])],
                problems: [.draining, .notFound]
            )
    }

    private func notify(_ name: String) -> OpenAPI.Route {
        OpenAPI.Route(
            "post",
            "/notify/\(name)",
            id: "notify." + name,
            summary: "Tell the program of \(name); what it makes of that, it dispatches.",
            parameters: [.init("Prefer", in: .header, summary: "wait=N (RFC 7240).")],
            body: .json(.any),
            answers: [
                .init(200, "It was told, and what follows is done.", bodies: [.json(.any)]),
                .init(202, "It was told."),
            ],
            problems: Self.always + [
                .malformedJSON, .forbidden, .unsupportedMediaType, .invalidPayload, .effectFailed,
                .draining,
            ]
        )
    }

    private var operation: [OpenAPI.Route] {
        read(
            "/metrics",
            "Metrics",
            summary: "What happens in the server, for Prometheus.",
            answers: [.init(200, "The metrics.", bodies: [.init("text/plain")])],
            problems: [.draining]
        )
            + read(
                "/livez",
                "Liveness",
                summary: "Whether the process works.",
                answers: [.init(200, "It does.", bodies: [.init("text/plain")])]
            )
            + read(
                "/readyz",
                "Readiness",
                summary: "Whether the server wants requests.",
                answers: [.init(200, "It does.", bodies: [.init("text/plain")])],
                problems: [.draining]
            )
    }

    /// A resource that is read: `GET`, and `HEAD` beside it.
    func read(
        _ path: String,
        _ name: String,
        summary: String,
        parameters: [OpenAPI.Parameter] = [],
        answers: [OpenAPI.Answer],
        problems: [ProblemSlug] = []
    ) -> [OpenAPI.Route] {
        [("get", summary), ("head", "The headers alone: " + summary)].map { method, summary in
            OpenAPI.Route(
                method,
                path,
                id: method + name,
                summary: summary,
                parameters: parameters,
                answers: answers,
                problems: Self.always + problems
            )
        }
    }
}
