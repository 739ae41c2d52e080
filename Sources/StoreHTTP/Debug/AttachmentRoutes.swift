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
                "The middleware, in the order of its calls before each action."
            ),
            ending(
                .middleware,
                links.middleware,
                "debugEndMiddleware",
                "Remove a middleware for good; actions dispatched after the answer skip it."
            ),
            list(
                of: .interceptor,
                links.interceptors,
                "interceptors",
                "DebugInterceptors",
                "The interceptors, in the order of their calls before each action."
            ),
            ending(
                .interceptor,
                links.interceptors,
                "debugEndInterceptor",
                "Remove an interceptor for good; actions dispatched after the "
                    + "answer skip it."
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
            parameters: [Parameter.path("id", "The id in the list; of equal ids, the first.")],
            answers: [.done],
            problems: [.notFound],
            audience: .operators
        ) { [attachments] request throws(Problem) in
            guard try attachments.end(kind, request.path()) else { throw request.notFound }
            request.respond(.done)
        }
    }
}
