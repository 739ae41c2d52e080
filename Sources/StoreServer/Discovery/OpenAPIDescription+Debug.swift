import Wire

extension OpenAPIDescription {
    /// The operator's debug surface.
    var debug: [OpenAPI.Route] { subscriptions + middleware + commands }

    private var done: OpenAPI.Answer { .init(204, "Done.") }

    private var id: OpenAPI.Parameter { .init("id", in: .path, summary: "As the list has it.") }

    private var subscriptions: [OpenAPI.Route] {
        let stream = JSONSchema.object([
            .init("id", .string()), .init("topic", .string()), .init("peer", .string()),
            .init("seconds", .integer(minimum: 0, maximum: .max)),
            .init("version", .nullable(.integer(minimum: 0, maximum: .max))),
            .init("behind", .boolean),
        ])
        let observer = JSONSchema.object([
            .init("id", .string()), .init("queue", .nullable(.string())),
        ])
        let presenter = JSONSchema.object([.init("name", .string()), .init("module", .string())])
        let list = JSONSchema.object([
            .init("streams", .array(of: stream)), .init("observers", .array(of: observer)),
            .init("presenters", .array(of: presenter)),
        ])
        return read(
            "/debug/subscriptions",
            "DebugSubscriptions",
            summary: "The open streams, and who observes in the server's own process.",
            answers: [.init(200, "The lists.", bodies: [.json(list)])],
            problems: [.draining]
        ) + [
            .init(
                "delete",
                "/debug/subscriptions/{id}",
                id: "debugEndSubscription",
                summary: "End a stream, which hears bye, or an observer.",
                parameters: [id],
                answers: [done],
                problems: Self.always + [.draining, .forbidden, .notFound]
            )
        ]
    }

    private var middleware: [OpenAPI.Route] {
        let item = JSONSchema.object([.init("id", .string())])
        let list = JSONSchema.object([.init("middleware", .array(of: item))])
        return read(
            "/debug/middleware",
            "DebugMiddleware",
            summary: "What sees each action before it is reduced.",
            answers: [.init(200, "The list.", bodies: [.json(list)])],
            problems: [.draining]
        ) + [
            .init(
                "delete",
                "/debug/middleware/{id}",
                id: "debugEndMiddleware",
                summary: "Take one away for good.",
                parameters: [id],
                answers: [done],
                problems: Self.always + [.draining, .forbidden, .notFound]
            )
        ]
    }

    private var commands: [OpenAPI.Route] {
        let command = JSONSchema.object([
            .init("name", .string()), .init("id", .string()), .init("value", .string()),
            .init("file", .string()), .init("function", .string()),
            .init("line", .integer(minimum: 0, maximum: .max)), .init("href", .string()),
            .init("method", .strings(["POST"])),
        ])
        let list = JSONSchema.object([.init("commands", .array(of: command))])
        let name = OpenAPI.Parameter("name", in: .path, summary: "As the list has it.")
        return read(
            "/debug/commands",
            "DebugCommands",
            summary: "The commands that the program exposes.",
            answers: [.init(200, "The list.", bodies: [.json(list)])],
            problems: [.draining]
        )
            + read(
                "/debug/commands/{name}",
                "DebugCommand",
                summary: "What a command is and where it was made, in five lines.",
                parameters: [name],
                answers: [.init(200, "The lines.", bodies: [.init("text/plain")])],
                problems: [.draining, .notFound]
            ) + [
                .init(
                    "post",
                    "/debug/commands/{name}",
                    id: "debugExecute",
                    summary:
                        "Execute a command with a JSON value, or without a body if it takes none.",
                    parameters: [name],
                    body: .json(.any),
                    isBodyRequired: false,
                    answers: [.init(204, "It has been executed.")],
                    problems: Self.always + [
                        .draining, .forbidden, .notFound, .malformedJSON, .unsupportedMediaType,
                        .invalidPayload,
                    ]
                )
            ]
    }
}
