import EventStream
import HTTPTransport
import StoreCore
import Wire

/// `GET /views/<name>` or `GET /views/<name>/events`: a projection of the state, now or from now on.
struct ViewRoute<State: Codable & Equatable & Sendable>: Route {
    let store: Store<State>
    let parts: ViewParts<State>
    let view: ViewDescription<State>
    let query: ViewQuery
    let streams: ViewStreams<State>
    let work: BackgroundWork
    let isStream: Bool

    var methods: [String] { isStream ? ["GET"] : ["GET", "HEAD"] }

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        let given = try Query.of(
            exchange,
            allowed: query.names + (isStream ? ["mode", "last_event_id", "subscriber"] : [])
        )
        let (parameters, canonical) = try query.read(given)
        let watch = ViewStreams<State>.Watch(view, parameters, canonical)
        if isStream {
            try open(exchange, watch, given)
        } else {
            document(exchange, watch)
        }
    }

    private func open(
        _ exchange: HTTPExchange,
        _ watch: ViewStreams<State>.Watch,
        _ query: Query
    ) throws(Problem) {
        guard streams.hasRoom(for: watch.topic) else {
            throw .overloaded(
                "\(ViewStreams<State>.watchedMax) views with different parameters are watched already"
            )
        }
        // A parameter of the view's own that has this name goes first.
        let mode = self.query.names.contains("mode") ? .snapshot : try query.mode()
        let topic = watch.topic.carrying(mode)
        try StreamOpening.open(exchange, store, topic, query) { _ in
            true
        } announce: { [streams, store] _ in
            store.look { state, version in
                streams.watch(watch)
                store.publisher.perform { _ in streams.begin(watch, state, version) }
            }
        }
    }

    /// Made of the published slices, off the Core's thread: whoever asks holds up nobody.
    private func document(_ exchange: HTTPExchange, _ watch: ViewStreams<State>.Watch) {
        let snapshot = store.publisher.snapshot
        let known = exchange.headerList("if-none-match").flatMap { EntityTagCondition($0) }
        let headers = [("ETag", snapshot.etag), ("Cache-Control", "no-cache")]
        if let known, known.matchesWeakly(EntityTag(opaque: snapshot.tag.description)) {
            exchange.respond(HTTPResponse(status: 304, headers: headers, body: .none))
            return
        }
        exchange.suspend()
        let isTaken = work.submit { [self] in
            exchange.complete(response(watch, snapshot, headers))
            store.wake()
        }
        guard !isTaken else { return }
        let problem = Problem.overloaded("enough views wait to be made already")
        exchange.complete(problem.response(for: RequestID.next()))
        store.wake()
    }

    private func response(
        _ watch: ViewStreams<State>.Watch,
        _ snapshot: Snapshot,
        _ headers: [(String, String)]
    ) -> HTTPResponse {
        do {
            let state = try parts.state(snapshot.slices, watch.view.reads)
            let body = streams.made(watch, state) ?? Bytes(utf8: "null")
            return HTTPResponse(
                status: 200,
                headers: [("Content-Type", "application/json")] + headers,
                body: .shared(body)
            )
        } catch {
            Log.error("the view \(watch.view.name) can't be made: \(error.messageForOperators)")
            return Problem.overloaded("the view can't be made; the server's own log says why")
                .response(for: RequestID.next())
        }
    }
}

extension ListRoute {
    /// `GET /views`: the projections, and what each may be asked for.
    static func views<State>(_ parts: ViewParts<State>) -> ListRoute {
        ListRoute { json in
            json.list("views", of: parts.views) { json, view in
                json.member("name", view.name)
                json.member("href", "/views/\(view.name)")
                json.member("events", "/views/\(view.name)/events")
                json.member("parameters", ViewQuery(view.parameters).names)
            }
        }
    }
}
