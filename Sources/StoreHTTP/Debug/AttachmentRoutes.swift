import StoreHTTPTransport
import StoreWire

/// The routes that list the middleware and the interceptors of the Core, and remove one.
package struct AttachmentRoutes: RouteGroup {
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
        [
            list(
                of: .middleware,
                links.middleware,
                "middleware",
                "DebugMiddleware",
                "What sees each action before it is reduced, in the order of the calls."
            ),
            ending(
                .middleware,
                links.middleware,
                "debugEndMiddleware",
                "Take one away for good; it sees no action that is dispatched after the answer."
            ),
            list(
                of: .interceptor,
                links.interceptors,
                "interceptors",
                "DebugInterceptors",
                "What decides about each action before the reducer does, in the order of the calls."
            ),
            ending(
                .interceptor,
                links.interceptors,
                "debugEndInterceptor",
                "Take one away for good; it decides about no action that is dispatched after the "
                    + "answer."
            ),
        ]
    }

    private func list(
        of kind: CoreAttachments.Kind,
        _ path: String,
        _ member: String,
        _ name: String,
        _ summary: String
    ) -> Route {
        let item = JSONSchema.object([.init("id", .string()), .init("href", .string())])
        return .read(
            path,
            name,
            summary,
            needs: .debug,
            answers: [.json(.list(member, of: item), "The list.")],
            audience: .operators
        ) { [attachments] request in
            request.respond { json in
                json.list(member, of: attachments.all(kind)) { json, attachment in
                    json.member("id", attachment.id)
                    json.member("href", path + "/" + PercentEncoding.encode(attachment.id))
                }
            }
        }
    }

    private func ending(
        _ kind: CoreAttachments.Kind,
        _ path: String,
        _ id: String,
        _ summary: String
    ) -> Route {
        .change(
            .delete,
            path + "/{id}",
            id,
            summary,
            needs: .debug,
            parameters: [Parameter.path("id", "As the list has it; of two, the first is meant.")],
            answers: [.done],
            problems: [.notFound],
            audience: .operators
        ) { [attachments] request throws(Problem) in
            guard try attachments.end(kind, request.path()) else { throw request.notFound }
            request.respond(.done)
        }
    }
}
