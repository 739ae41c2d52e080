import HTTPTransport
import Wire

/// What sees each action before it is reduced: a list, and a way to take one away.
package struct MiddlewareRoutes: RouteGroup {
    package let links: Links
    package let attachments: CoreAttachments

    package init(
        links: Links,
        attachments: CoreAttachments
    ) {
        self.links = links
        self.attachments = attachments
    }

    package var routes: [Route] {
        let item = JSONSchema.object([.init("id", .string())])
        return [
            .read(
                links.middleware,
                "DebugMiddleware",
                "What sees each action before it is reduced.",
                answers: [.json(.list("middleware", of: item), "The list.")]
            ) { [attachments] request in
                request.respond { json in
                    json.list("middleware", of: attachments.all(.middleware)) { json, middleware in
                        json.member("id", middleware.id)
                    }
                }
            },
            .change(
                .delete,
                links.middleware + "/{id}",
                "debugEndMiddleware",
                "Take one away for good; it sees no action that is dispatched after the answer.",
                parameters: [Parameter.path("id", "As the list has it.")],
                answers: [.done],
                problems: [.notFound]
            ) { [attachments] request throws(Problem) in
                guard try attachments.end(.middleware, request.path()) else {
                    throw request.notFound
                }
                request.respond(.done)
            },
        ]
    }
}
