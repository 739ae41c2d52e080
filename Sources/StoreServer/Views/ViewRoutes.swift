import EventStream
import HTTPTransport
import StoreCore
import Texts
import Wire

/// The projections of the state: a list of them, and each now or from now on.
struct ViewRoutes<State: Codable & Equatable & Sendable>: RouteGroup {
    let links: Links
    let store: Store<State>
    let parts: ViewParts<State>
    let streams: ViewStreams<State>
    private let work = BackgroundWork("views")

    init(
        _ links: Links,
        _ store: Store<State>,
        _ parts: ViewParts<State>,
        _ streams: ViewStreams<State>
    ) {
        self.links = links
        self.store = store
        self.parts = parts
        self.streams = streams
    }

    var routes: [Route] {
        let item = JSONSchema.object([
            .init("name", .string()), .init("href", .string()), .init("events", .string()),
            .init("parameters", .array(of: .string())),
        ])
        return [
            .read(
                links.views,
                "Views",
                "The projections of the state.",
                answers: [.json(.list("views", of: item), "The list.")],
                handle: list
            )
        ] + parts.views.flatMap(routes)
    }

    private func routes(of view: ViewDescription<State>) -> [Route] {
        let query = ViewQuery(view.parameters)
        let id = view.name.prefix(1).uppercased() + view.name.dropFirst()
        // A parameter of the view's own goes before one of the stream's that has its name.
        let ofStream = StreamParameters.all.filter { parameter in
            !query.names.contains(exactly: parameter.description.name)
        }
        return [
            .read(
                links.view(view.name),
                "View" + id,
                "The projection \(view.name); null where there is nothing to show.",
                parameters: query.parameters + [HeaderParameter.ifNoneMatch],
                answers: [.json(.any, "The projection.", headers: ["ETag"]), .notModified]
            ) { request throws(Problem) in
                show(try watch(view, query, request), request)
            },
            .stream(
                links.viewEvents(view.name),
                "view\(id)Events",
                "The projection \(view.name) now and whenever it changes, as server-sent events.",
                parameters: query.parameters + ofStream
            ) { request throws(Problem) in
                try open(try watch(view, query, request), query, request)
            },
        ]
    }

    private func list(_ request: RequestContext) {
        request.respond { json in
            json.list("views", of: parts.views) { json, view in
                json.member("name", view.name)
                json.member("href", links.view(view.name))
                json.member("events", links.viewEvents(view.name))
                json.member("parameters", ViewQuery(view.parameters).names)
            }
        }
    }

    private func watch(
        _ view: ViewDescription<State>,
        _ query: ViewQuery,
        _ request: RequestContext
    ) throws(Problem) -> ViewStreams<State>.Watch {
        let (parameters, canonical) = try query.read { request.query($0) }
        return ViewStreams<State>.Watch(view, parameters, canonical)
    }

    private func open(
        _ watch: ViewStreams<State>.Watch,
        _ query: ViewQuery,
        _ request: RequestContext
    ) throws(Problem) {
        guard streams.hasRoom(for: watch.topic) else {
            throw .overloaded(
                "\(ViewStreams<State>.watchedMax) views with different parameters are watched already"
            )
        }
        let isOwnMode = query.names.contains(exactly: StreamParameters.mode.name)
        let mode = isOwnMode ? nil : request[StreamParameters.mode]
        let topic = watch.topic.carrying(mode ?? .snapshot)
        try StreamOpening.open(request, store, topic) { _ in
            true
        } announce: { [streams, store] _ in
            store.look { state, version in
                streams.watch(watch)
                store.publisher.perform { _ in streams.begin(watch, state, version) }
            }
        }
    }

    /// Made of the published slices, off the Core's thread, which goes on meanwhile.
    private func show(_ watch: ViewStreams<State>.Watch, _ request: RequestContext) {
        let snapshot = store.publisher.snapshot
        let known = request.exchange.headerList("if-none-match")
        if store.isKnown(snapshot, known) {
            return request.respond(store.notModified(snapshot))
        }
        request.respond(on: work, orBusy: "enough views wait to be made already") {
            [self] () throws(Problem) in
            try response(watch, snapshot)
        }
    }

    private func response(
        _ watch: ViewStreams<State>.Watch,
        _ snapshot: Snapshot
    ) throws(Problem) -> HTTPResponse {
        do {
            let state = try parts.state(snapshot.slices, watch.view.reads)
            let body = streams.made(watch, state) ?? Bytes(utf8: "null")
            return store.response(with: body, of: snapshot)
        } catch {
            Log.error("the view \(watch.view.name) can't be made: \(error.messageForOperators)")
            throw .overloaded("the view can't be made; the server's own log says why")
        }
    }
}
