import Wire

extension OpenAPIDescription {
    /// Sessions of clients, and what is presented to them.
    var sessions: [OpenAPI.Route] {
        [begin, end, shown]
            + read(
                "/route",
                "Route",
                summary: "What is presented to the client, the lowest first.",
                answers: [
                    .init(
                        200,
                        "The route.",
                        headers: ["ETag"],
                        bodies: [.json(.array(of: Self.presentedView))]
                    )
                ],
                problems: [.draining, .forbidden]
            )
    }

    private static var presentedView: JSONSchema {
        .object([
            .init("view", .string()), .init("style", .strings(["push", "modal", "root"])),
        ])
    }

    private var begin: OpenAPI.Route {
        .init(
            "post",
            "/sessions",
            id: "beginSession",
            summary: "Begin a session. The cookie store-session is its secret.",
            answers: [
                .init(
                    201,
                    "It has begun.",
                    headers: ["Location", "Set-Cookie"],
                    bodies: [
                        .json(.object([.init("session", .string()), .init("version", unsigned)]))
                    ]
                )
            ],
            problems: Self.always + [.draining, .forbidden, .storageFull]
        )
    }

    private var end: OpenAPI.Route {
        .init(
            "delete",
            "/session",
            id: "endSession",
            summary: "End the client's session, with its streams and what works for it alone.",
            answers: [.init(204, "It has ended.", headers: ["Set-Cookie"])],
            problems: Self.always + [.draining, .forbidden, .notFound, .storageFull]
        )
    }

    private var shown: OpenAPI.Route {
        .init(
            "post",
            "/route/shown",
            id: "routeShown",
            summary: "Say that the client shows its route as a version has it.",
            body: .json(.object([.init("version", unsigned)])),
            answers: [.init(204, "Noted.")],
            problems: Self.always + [
                .malformedJSON, .forbidden, .notFound, .unsupportedMediaType, .invalidPayload,
                .draining,
            ]
        )
    }
}
