import Wire

extension OpenAPIDescription {
    /// The log of actions, in pages and as a stream.
    var log: [OpenAPI.Route] {
        read(
            "/actions",
            "Actions",
            summary: "The applied actions in their order, a page at a time.",
            parameters: [
                .init(
                    "after",
                    in: .query,
                    unsigned,
                    summary: "Only those after this version; else from the oldest that is kept."
                ),
                .init(
                    "limit",
                    in: .query,
                    .integer(minimum: 1, maximum: 1_000),
                    summary: "The most of them, 100 where nothing is said."
                ),
                .init("type", in: .query, summary: "Only those of this wire name."),
                .init(
                    "cause",
                    in: .query,
                    unsigned,
                    summary: "Only those that come of this version, also by way of others."
                ),
            ],
            answers: [.init(200, "The page.", bodies: [.json(page)])],
            problems: [.draining, .gone]
        ) + trace + [
            .init(
                "get",
                "/actions/events",
                id: "actionEvents",
                summary: "Every applied action in order, first those that are kept and then as "
                    + "they come, as server-sent events.",
                parameters: [
                    .init("after", in: .query, unsigned, summary: "Begin after this version."),
                    .init("last_event_id", in: .query, summary: "Go on after this tag."),
                    .init("Last-Event-ID", in: .header, summary: "Go on after this tag."),
                ],
                answers: [.init(200, "The stream.", bodies: [.init("text/event-stream")])],
                problems: Self.always + [.draining, .streamLimit]
            )
        ]
    }

    private var trace: [OpenAPI.Route] {
        let step = JSONSchema.object([
            .init("step", .strings(["routing", "ui", "internal", "reduce", "notify", "reaction"])),
            .init("version", unsigned, isRequired: false),
            .init("type", .string(), isRequired: false),
            .init("module", .string(), isRequired: false),
            .init("changed", .boolean, isRequired: false),
            .init("cause", unsigned, isRequired: false),
            .init("origin", .string(), isRequired: false),
        ])
        return read(
            "/trace",
            "Trace",
            summary: "What one action led to, step by step.",
            parameters: [
                .init(
                    "version",
                    in: .query,
                    unsigned,
                    summary: "The version of one of the actions; the newest where nothing is said."
                )
            ],
            answers: [
                .init(
                    200,
                    "The steps.",
                    bodies: [
                        .json(
                            .object([
                                .init("epoch", .string()), .init("version", unsigned),
                                .init("steps", .array(of: step)),
                            ])
                        )
                    ]
                )
            ],
            problems: [.draining, .gone, .notFound]
        )
    }

    private var page: JSONSchema {
        .object([
            .init("epoch", .string()), .init("version", unsigned),
            .init("actions", .array(of: record)), .init("next", .string()),
        ])
    }

    private var record: JSONSchema {
        .object([
            .init("version", unsigned), .init("time", .string()), .init("type", .string()),
            .init("payload", .any), .init("meta", .any, isRequired: false),
            .init("principal", .string(), isRequired: false),
            .init("cause", unsigned, isRequired: false),
            .init("origin", .string(), isRequired: false), .init("changed", .boolean),
        ])
    }
}
