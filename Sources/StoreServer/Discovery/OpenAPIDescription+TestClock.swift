import Wire

extension OpenAPIDescription {
    /// The clock that clients move, under `--clock test`.
    var testClock: [OpenAPI.Route] {
        let clock = JSONSchema.object([
            .init("seconds", .number), .init("time", .string()),
            .init("sleeping", .integer(minimum: 0, maximum: .max)),
            .init("next", .nullable(.number)),
        ])
        return read(
            "/test/clock",
            "TestClock",
            summary: "Where the clock stands that effects pause on.",
            answers: [.init(200, "Since the start.", bodies: [.json(clock)])],
            problems: [.draining]
        ) + [
            .init(
                "post",
                "/test/clock/advance",
                id: "advanceTestClock",
                summary: "Move the clock, and wake those whose time has come.",
                body: .json(.object([.init("seconds", .number)])),
                answers: [
                    .init(200, "They have done what they can.", bodies: [.json(clock)]),
                    .init(202, "There were too many to wake at once.", bodies: [.json(clock)]),
                ],
                problems: Self.always + [
                    .malformedJSON, .forbidden, .unsupportedMediaType, .invalidPayload, .draining,
                ]
            )
        ]
    }
}
