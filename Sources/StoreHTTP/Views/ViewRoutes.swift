import StoreAdmission
import StoreAuthorization
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StorePublishing
import StoreTelemetry
import StoreTexts
import StoreWire

/// The routes for the views of the state: a list, and for each view its newest value and a stream.
struct ViewRoutes: RouteGroup {
    let store: Store
    let views: any PublishedViews

    private var links: Links { store.links }

    var routes: [Route] {
        let item = JSONSchema.object([
            .init("name", .string()), .init("href", .string()), .init("events", .string()),
            .init("parameters", .array(of: .string())),
        ])
        return [
            .reading(
                links.views,
                "Views",
                "The projections of the state.",
                needs: .views,
                answers: [.json(.list("views", of: item), "The list.")],
                handle: list
            )
        ] + views.views.enumerated().flatMap { routes(of: $0.element, at: $0.offset) }
    }

    private func routes(of view: PublishedView, at index: Int) -> [Route] {
        let query = ViewQuery(of: view.name, view.parametersType, store.logger)
        let id = view.name.prefix(1).uppercased() + view.name.dropFirst()
        // If a view's parameter and a stream's parameter have the same name, the view's parameter
        // is used.
        let streamParameters = StreamParameters.all.filter { parameter in
            !query.names.contains(exactly: parameter.name)
        }
        return [
            .reading(
                links.view(view.name),
                "View" + id,
                "The projection \(view.name); null if there is nothing to show.",
                needs: .view(view.name),
                parameters: query.parameters + [HeaderParameter.ifNoneMatch],
                answers: [.json(.any, "The projection.", headers: ["ETag"]), .notModified],
                problems: [.viewFailed]
            ) { request throws(Problem) in
                try show(request, view, try viewRequest(request, view, at: index, query))
            },
            .streaming(
                links.viewEvents(view.name),
                "view\(id)Events",
                "The projection \(view.name), now and after each change, as server-sent events.",
                needs: .view(view.name),
                parameters: query.parameters + streamParameters
            ) { request throws(Problem) in
                try open(request, try viewRequest(request, view, at: index, query), query)
            },
        ]
    }

    private func list(_ request: RequestContext) {
        let role = request.identity?.role
        request.respond { json in
            let seen = views.views.filter { role?.sees(view: $0.name) != false }
            json.objectArray("views", of: seen) { json, view in
                json.member("name", view.name)
                json.member("href", links.view(view.name))
                json.member("events", links.viewEvents(view.name))
                json.member(
                    "parameters",
                    ViewQuery(of: view.name, view.parametersType, store.logger).names
                )
            }
        }
    }

    private func viewRequest(
        _ request: RequestContext,
        _ view: PublishedView,
        at place: Int,
        _ query: ViewQuery
    ) throws(Problem) -> ViewRequest {
        let caller = try request.caller()
        let (parameters, canonical) = try query.readParameters { request.query($0) }
        let request = ViewRequest(place, named: view.name, parameters, canonical)
        return store.reader.viewRequest(request, for: caller)
    }

    private func open(
        _ request: RequestContext,
        _ view: ViewRequest,
        _ query: ViewQuery
    ) throws(Problem) {
        guard views.hasRoom(for: view) else {
            throw .overloaded(
                "clients already watch \(ViewBounds.sharedWatchedViewsMax) views with different "
                    + "parameters, or one session "
                    + "watches \(ViewBounds.sessionWatchedViewsMax)"
            )
        }
        let isOwnMode = query.names.contains(exactly: StreamParameters.mode.name)
        let stream = store.reader.stream(of: view)
        try StreamOpening.open(request, store, stream, in: isOwnMode ? .snapshot : nil)
    }

    /// Makes the view on another thread from the published slices, so that the Core does not wait.
    private func show(
        _ request: RequestContext,
        _ view: PublishedView,
        _ wanted: ViewRequest
    ) throws(Problem) {
        let (reader, caller) = (store.reader, try request.caller())
        // A role may see a view without seeing the modules that the view reads. For this role, only
        // the exact tag gives 304, so that the answer does not reveal changes of these modules.
        let state = reader.state(for: caller.withFullSight)
        let known = request.exchange.headerList("if-none-match")
        let isKnown =
            reader.showsAllModules(of: view, to: caller)
            ? StateAnswer.isKnownToClient(reader.state(for: caller), ifNoneMatch: known)
            : StateAnswer.isKnownToClient(exactly: state.tag, ifNoneMatch: known)
        if isKnown { return request.respond(StateAnswer.notModified(state)) }
        request.respond(
            on: store.reader.threads.views,
            orBusy: "too many requests for views wait already"
        ) { [self] () throws(Problem) in
            try response(view, wanted, state)
        }
    }

    private func response(
        _ view: PublishedView,
        _ wanted: ViewRequest,
        _ state: VisibleState
    ) throws(Problem) -> HTTPResponse {
        do {
            let body = try state.viewBytes(of: wanted, by: views) ?? Bytes(utf8: "null")
            return StateAnswer.response(with: body, of: state)
        } catch {
            store.logger.error(
                .viewFailed,
                "the view \(view.name) can't be made: \(error.messageForOperators)"
            )
            throw .viewFailed(view.name)
        }
    }
}
