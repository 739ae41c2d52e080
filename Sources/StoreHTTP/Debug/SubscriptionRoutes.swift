import Dispatch
import StoreAdmission
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StoreWire

/// The routes that list the subscribers and observers of new states, and that end a subscription.
/// Subscribers read streams; observers run in the process itself.
struct SubscriptionRoutes: RouteGroup {
    let store: Store
    let attachments: CoreAttachments
    /// The names of the presenters of the whole state.
    let wholeStatePresenterNames: [String]

    var routes: [Route] {
        [
            .reading(
                store.links.subscriptions,
                "DebugSubscriptions",
                "The open streams, and the observers in the server's own process.",
                needs: .debug,
                answers: [.json(Self.schema, "The lists.")],
                audience: .operators,
                handle: list
            ),
            .changing(
                .delete,
                store.links.subscriptions + "/{id}",
                "debugEndSubscription",
                "End a stream with the event bye, or remove an observer.",
                needs: .debug,
                parameters: [Parameter.path("id", "The id in the list.")],
                answers: [.noContent],
                problems: [.notFound],
                audience: .operators,
                handle: end
            ),
        ]
    }

    private static var schema: JSONSchema {
        let stream = JSONSchema.object([
            .init("id", .string()), .init("topic", .string()), .init("peer", .string()),
            .init("seconds", .unsigned), .init("version", .nullable(.unsigned)),
            .init("behind", .boolean),
        ])
        let observer = JSONSchema.object([
            .init("id", .string()), .init("queue", .nullable(.string())),
        ])
        let presenter = JSONSchema.object([
            .init("name", .string()), .init("module", .string(), isRequired: false),
            .init("slices", .unsigned, isRequired: false),
        ])
        return .object([
            .init("streams", .array(of: stream)), .init("observers", .array(of: observer)),
            .init("presenters", .array(of: presenter)),
        ])
    }

    private func list(_ request: RequestContext) {
        request.exchange.suspend()
        store.streamWriter.listStreams { open in
            // There may be thousands of streams. So another thread writes the list, and the thread
            // of the stream writer can continue with its streams.
            DispatchQueue.global().async { request.complete(.success(response(listing: open))) }
        }
    }

    private func response(listing open: [OpenStream]) -> HTTPResponse {
        HTTPResponse.uncached { json in
            json.objectArray("streams", of: open) { json, stream in
                json.member("id", stream.id.description)
                json.member("topic", stream.topic.subject.description)
                json.member("peer", stream.peer)
                json.member("seconds", stream.openSeconds)
                json.key("version")
                if let known = stream.version { json.integer(known) } else { json.null() }
                json.member("behind", stream.isBehind)
            }
            json.objectArray("presenters", of: attachedPresenters) { json, presenter in
                json.member("name", presenter.name)
                if let module = presenter.module { json.member("module", module) }
                if let slices = presenter.slices { json.member("slices", slices) }
            }
            json.objectArray("observers", of: attachments.all(.observer)) { json, observer in
                json.member("id", observer.id)
                json.member("queue", orNull: observer.queueLabel)
            }
        }
    }

    /// The presenters of modules that have slices, each with the number of slices, and the
    /// presenters of the whole state at the end. A module without a slice has no attached
    /// presenters.
    private var attachedPresenters: [(name: String, module: String?, slices: Int?)] {
        let state = store.reader.state(for: .operator)
        let modules = store.modules
        let places = modules.indices.filter { !modules[$0].presenterNames.isEmpty }
        let ofModules = places.flatMap { place -> [(name: String, module: String?, slices: Int?)] in
            let (module, count) = (modules[place], state.sliceCount(place))
            return count == 0 ? [] : module.presenterNames.map { ($0, module.name, count) }
        }
        return ofModules + wholeStatePresenterNames.map { ($0, nil, nil) }
    }

    private func end(_ request: RequestContext) throws(Problem) {
        let id = try request.pathParameter()
        if attachments.remove(.observer, id) { return request.respond(.noContent) }
        let missing = request.notFound
        guard let stream = StreamID(id) else { throw missing }
        request.exchange.suspend()
        store.streamWriter.endStream(stream) { found in
            request.complete(found ? .success(.noContent) : .failure(missing))
        }
    }
}
