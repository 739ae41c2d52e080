import StoreActionCatalog
import StoreCore
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StoreWire

/// The routes for the slice of each module and of each instance: its newest value and a stream.
struct ModuleRoutes: RouteGroup {
    let store: Store

    private var links: Links { store.links }
    private var modules: [SliceDescription] { store.modules }

    private let oldSliceParameter = Parameter.flag(
        "old",
        "Each event has the slice before the change, too. Not with mode=patch."
    )

    var routes: [Route] {
        let module = Parameter.path(
            "module",
            oneOf: modules.filter { !$0.isField }.map(\.name),
            "The module's name."
        )
        let path = links.modules + "/{module}"
        let modulesWithInstances = modules.filter { $0.cardinality == .instances }.map(\.name)
        return [
            sliceRoute(path, "Module", "A module's slice of the state.", [module]) {
                request throws(Problem) in
                [try request.pathParameter()]
            },
            .streaming(
                path + "/events",
                "moduleEvents",
                "A module's slice, now and after each change, as server-sent events.",
                needs: .memberInPath,
                parameters: [module, oldSliceParameter] + StreamParameters.all,
                handle: openStream
            ),
        ] + (modulesWithInstances.isEmpty ? [] : instanceRoutes(of: modulesWithInstances))
    }

    /// Makes the route for a slice. `tokens` reads the tokens of the slice's pointer from the path.
    private func sliceRoute(
        _ path: String,
        _ name: String,
        _ summary: String,
        _ parameters: [any RouteParameter],
        readingTokens tokens: @escaping @Sendable (RequestContext) throws(Problem) -> [String]
    ) -> Route {
        .reading(
            path,
            name,
            summary,
            needs: .memberInPath,
            parameters: parameters + [HeaderParameter.ifNoneMatch, HeaderParameter.ifMatch],
            answers: [.json(.any, "The slice.", headers: ["ETag"]), .notModified],
            problems: [.notFound, .versionMismatch]
        ) { request throws(Problem) in
            try show(request, at: try tokens(request))
        }
    }

    private func instanceRoutes(of names: [String]) -> [Route] {
        let parameters = [
            Parameter.path("collection", oneOf: names, "The module's name."),
            InstanceID.parameter,
        ]
        let path = links.modules + "/{collection}/{id}"
        return [
            sliceRoute(path, "Instance", "The slice of one of a module's instances.", parameters) {
                request throws(Problem) in
                [try request.pathParameter(), try InstanceID.read(request, 1)]
            },
            .streaming(
                path + "/events",
                "instanceEvents",
                "One instance's slice, now and after each change, as server-sent events.",
                needs: .memberInPath,
                parameters: parameters + StreamParameters.all,
                problems: [.notFound]
            ) { request throws(Problem) in
                let (index, id) = (try moduleIndex(request), try InstanceID.read(request, 1))
                let stream = store.reader.stream(
                    ofInstance: id,
                    of: index,
                    named: try request.pathParameter(0),
                    for: try request.caller()
                )
                let shown = ShownSlice(moduleIndex: index, instance: id)
                try StreamOpening.open(request, store, stream, showing: shown)
            },
        ]
    }

    private func moduleIndex(_ request: RequestContext) throws(Problem) -> Int {
        let name = try request.pathParameter(0)
        guard let index = modules.firstIndex(where: { !$0.isField && $0.name.isSame(as: name) })
        else { throw request.notFound }
        return index
    }

    private func show(_ request: RequestContext, at tokens: [String]) throws(Problem) {
        let state = store.reader.state(for: try request.caller())
        try StateAnswer.checkIfMatch(state, of: request.exchange)
        guard state.isStarted(try moduleIndex(request)) else { throw request.notFound }
        try StateAnswer.answer(
            request,
            with: JSONPointer(tokens: tokens),
            of: state,
            by: store.reader,
            orElse: .path(request.exchange.path)
        )
    }

    private func openStream(_ request: RequestContext) throws(Problem) {
        let index = try moduleIndex(request)
        guard request[StreamParameters.mode] != .patch || !request[oldSliceParameter] else {
            throw .badRequest("old=true and mode=patch exclude each other: leave out one of them.")
        }
        let caller = try request.caller()
        let stream =
            request[oldSliceParameter]
            ? store.reader.changeStream(of: index, for: caller)
            : store.reader.sliceStream(of: index, for: caller)
        // If the module has instances, this stream shows no view. The stream of an instance shows
        // the view of the instance.
        let shown = modules[index].cardinality == .instances ? nil : ShownSlice(moduleIndex: index)
        try StreamOpening.open(request, store, stream, showing: shown)
    }
}

extension InstanceID {
    static let parameter = Parameter.path("id", "The instance's id.")

    /// Returns the id in the path of a request. `index` is the index of the id among the path's
    /// parameters.
    ///
    /// - Throws: 404 for an id that no instance can have, 400 for a badly encoded id.
    static func read(_ request: RequestContext, _ index: Int = 0) throws(Problem) -> String {
        let id = try request.pathParameter(index)
        guard 1...bytesMax ~= id.utf8.count else { throw request.notFound }
        return id
    }
}
