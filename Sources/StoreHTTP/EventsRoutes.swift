import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StoreWire

/// `GET /events`: hands the connection over to the stream writer. The writer sends the newest
/// state, or the part of the state at `path`, and then newer versions as they are published.
struct EventsRoutes: RouteGroup {
    let store: Store

    private let pointerParameter = Parameter<JSONPointer>(
        description: .init(
            "path",
            in: .query,
            .text(pattern: "^(/([^~/]|~[01])*)*$"),
            summary: "A JSON Pointer (RFC 6901) to the part of the state that is streamed."
        ),
        allowedValues:
            "a JSON Pointer (RFC 6901): empty, or beginning with '/', with ~0 for '~' and ~1 "
            + "for '/' within a name"
    ) { JSONPointer($0) }

    var routes: [Route] {
        [
            .streaming(
                store.links.events,
                "events",
                "The state, now and after each publication, as server-sent events.",
                needs: .state,
                parameters: [pointerParameter]
                    + WindowParameters.all(needing: pointerParameter.name)
                    + StreamParameters.all,
                handle: open
            )
        ]
    }

    private func open(_ request: RequestContext) throws(Problem) {
        let (reader, caller) = (store.reader, try request.caller())
        let pointer = request[pointerParameter] ?? .root
        let window = request.window
        guard window == nil || pointer != .root else {
            throw .badRequest(
                "The parameters from and limit need path=<pointer> with the pointer to an object."
            )
        }
        let stream =
            pointer == .root
            ? reader.stateStream(for: caller)
            : try reader.stream(at: pointer, window, for: caller, of: request.watchingClient)
        try StreamOpening.open(request, store, stream)
    }
}
