import StoreEventStream
package import StoreWire

// Descriptions that several routes have in common: answers, schemas and header fields.

extension OpenAPI.Answer {
    /// An answer with JSON of this form; its status is 200 by default.
    static func json(
        _ schema: JSONSchema,
        _ summary: String,
        status: Int = 200,
        headers: [String] = []
    ) -> OpenAPI.Answer {
        .init(status, summary, headers: headers, bodies: [.json(schema)])
    }

    /// An answer 200 with text that has no schema.
    static func text(_ mediaType: String, _ summary: String) -> OpenAPI.Answer {
        .init(200, summary, bodies: [.init(mediaType)])
    }

    static let done = OpenAPI.Answer(204, "Done.")
    static let notModified = OpenAPI.Answer(
        304,
        "Nothing is newer than the client's state.",
        headers: ["ETag"]
    )
}

extension JSONSchema {
    /// A version, or a count.
    static let unsigned = JSONSchema.integer(minimum: 0, maximum: .max)

    /// An object with a single list in it.
    package static func list(_ name: String, of item: JSONSchema) -> JSONSchema {
        .object([.init(name, .array(of: item))])
    }
}

extension HeaderParameter {
    static let ifNoneMatch = HeaderParameter(
        "If-None-Match",
        .string(),
        "The tag that the client has already."
    )
    static let ifMatch = HeaderParameter(
        "If-Match",
        .text(pattern: entityTags),
        "Only if this is the current tag; anything but * and quoted tags is 400."
    )
    static let prefersWait = HeaderParameter("Prefer", .string(), "wait=N (RFC 7240).")

    /// The pattern of `*`, or of entity tags with commas between them (RFC 9110 §13.1.1).
    static let entityTags =
        #"^(\*|(W/)?"[!#-~]*"([ \t]*,[ \t]*(W/)?"[!#-~]*")*)$"#
}
