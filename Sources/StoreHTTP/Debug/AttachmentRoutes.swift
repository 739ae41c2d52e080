package import StoreCore
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StorePlatform
import StoreWire
import Synchronization

/// The routes that list the middleware and the interceptors of the Core, and that remove them.
struct AttachmentRoutes: RouteGroup {
    let links: Links
    let attachments: CoreAttachments

    var routes: [Route] {
        [
            listRoute(
                of: .middleware,
                links.middleware,
                "middleware",
                "DebugMiddleware",
                "The middleware, in the order of its calls before each action."
            ),
            removalRoute(
                .middleware,
                links.middleware,
                "debugEndMiddleware",
                "Remove a middleware until the server restarts. Actions that are dispatched "
                    + "after the answer do not reach it."
            ),
            listRoute(
                of: .interceptor,
                links.interceptors,
                "interceptors",
                "DebugInterceptors",
                "The interceptors, in the order of their calls before each action."
            ),
            removalRoute(
                .interceptor,
                links.interceptors,
                "debugEndInterceptor",
                "Remove an interceptor until the server restarts. Actions that are dispatched "
                    + "after the answer do not reach it."
            ),
        ]
    }

    private func listRoute(
        of kind: CoreAttachments.Kind,
        _ path: String,
        _ member: String,
        _ name: String,
        _ summary: String
    ) -> Route {
        let item = JSONSchema.object([.init("id", .string()), .init("href", .string())])
        return .reading(
            path,
            name,
            summary,
            needs: .debug,
            answers: [.json(.list(member, of: item), "The list.")],
            audience: .operators
        ) { [attachments] request in
            request.respond { json in
                json.objectArray(member, of: attachments.all(kind)) { json, attachment in
                    json.member("id", attachment.id)
                    json.member("href", path + "/" + PercentEncoding.encode(attachment.id))
                }
            }
        }
    }

    private func removalRoute(
        _ kind: CoreAttachments.Kind,
        _ path: String,
        _ id: String,
        _ summary: String
    ) -> Route {
        .changing(
            .delete,
            path + "/{id}",
            id,
            summary,
            needs: .debug,
            parameters: [
                Parameter.path(
                    "id",
                    "The id in the list. If several entries have the id, the first entry is removed."
                )
            ],
            answers: [.noContent],
            problems: [.notFound],
            audience: .operators
        ) { [attachments] request throws(Problem) in
            guard try attachments.remove(kind, request.pathParameter()) else {
                throw request.notFound
            }
            request.respond(.noContent)
        }
    }
}

/// The middleware, interceptors and observers of the Core, each with the command that removes it.
package final class CoreAttachments: Sendable {
    package enum Kind: Sendable {
        case middleware, interceptor, observer
    }

    struct Attachment: Sendable {
        let kind: Kind
        let id: String
        /// The label of the queue that calls the attachment; `nil` for the Core's own thread.
        let queueLabel: String?
        let removal: PlainCommand
    }

    private struct Table {
        var attachments: [Attachment] = []
        /// The number of observers that were added since the start. The ids have these numbers, so
        /// no id is used twice.
        var addedObserversCount = 0
    }

    private let table = Locked(Table())

    package init() {}

    package func add(_ kind: Kind, _ id: String, removal: PlainCommand) {
        let attachment = Attachment(kind: kind, id: id, queueLabel: nil, removal: removal)
        table.withLock { $0.attachments.append(attachment) }
    }

    /// Adds an observer under the next of the ids `observer-1`, `observer-2`, and so on. `queue` is
    /// the label of the queue on which the observer is called.
    package func addObserver(on queue: String?, removal: PlainCommand) {
        table.withLock { attached in
            attached.addedObserversCount += 1
            attached.attachments.append(
                Attachment(
                    kind: .observer,
                    id: "observer-\(attached.addedObserversCount)",
                    queueLabel: queue,
                    removal: removal
                )
            )
        }
    }

    /// Returns all attachments of a kind, in the order in which they were added.
    func all(_ kind: Kind) -> [Attachment] {
        table.withLock { $0.attachments.filter { $0.kind == kind } }
    }

    /// Removes the first attachment of this kind with this id. Returns false if there is no such
    /// attachment.
    func remove(_ kind: Kind, _ id: String) -> Bool {
        let ended = table.withLock { attached -> Attachment? in
            guard
                let place = attached.attachments.firstIndex(where: {
                    $0.kind == kind && $0.id.isSame(as: id)
                })
            else { return nil }
            return attached.attachments.remove(at: place)
        }
        ended?.removal()
        return ended != nil
    }
}
