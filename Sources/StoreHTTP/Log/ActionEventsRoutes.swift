import StoreHTTPTransport
import StoreWire

/// `GET /actions/events`: hands the connection over to the stream writer. The writer sends all
/// actions in order: first from the journal, then as the Core applies the actions.
struct ActionEventsRoutes: RouteGroup {
    let store: Store

    private let after = Parameter.number("after", "Begin after this version.")

    var routes: [Route] {
        [
            .streaming(
                store.links.actionEvents,
                "actionEvents",
                "The applied actions in order, first from the journal and then as they are "
                    + "applied, as server-sent events.",
                needs: .log,
                parameters: [
                    after, StreamParameters.lastEventID, StreamParameters.lastEventIDField,
                ],
                handle: open
            )
        ]
    }

    private func open(_ request: RequestContext) throws(Problem) {
        try StreamOpening.checkMayStream(request)
        let topic = store.reader.logTopic(for: try request.caller())
        // A client that reconnects uses the same target as before, so the id of the last event
        // takes precedence over `after`.
        var (resume, owner, hold) = try StreamOpening.reserveStream(
            request,
            store,
            to: topic,
            after: request[after]
        )
        owner.onEnd = StreamOpening.endHandler(
            endingHold: hold,
            uncounting: request.countStream(topic)
        )
        let head = StreamOpening.head(for: request)
        request.exchange.stream(
            StreamBeginning(head, topic: topic, resume: resume, owner: owner),
            to: store.streamWriter
        )
    }
}
