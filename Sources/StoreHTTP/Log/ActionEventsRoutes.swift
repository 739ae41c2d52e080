import StoreAdmission
import StoreHTTPTransport
import StoreWire

/// `GET /actions/events`: hands the connection over to the stream writer. The writer sends every
/// action in order, first from the journal and then as the Core applies them.
struct ActionEventsRoutes: RouteGroup {
    let store: Store

    private let after = Parameter.number("after", "Begin after this version.")

    var routes: [Route] {
        [
            .stream(
                store.links.actionEvents,
                "actionEvents",
                "Every applied action in order, first the kept and then the new actions, as "
                    + "server-sent events.",
                needs: .log,
                parameters: [
                    after, StreamParameters.lastEventID, StreamParameters.lastEventIDField,
                ],
                handle: open
            )
        ]
    }

    private func open(_ request: RequestContext) throws(Problem) {
        try StreamOpening.requireChunks(request)
        try request.environment.web.limits?.take(.streams, of: request.exchange)
        // A client that reconnects uses the same target as before, so the id of the last event
        // takes precedence over `after`.
        let newest = store.reader.version
        var resume = StreamOpening.resume(
            after: StreamParameters.lastEventID(of: request),
            in: store.reader.epoch,
            newest: newest
        )
        if case .fresh = resume, let after = request[after] {
            resume = StreamOpening.resume(after: after, newest: newest)
        }
        let session = try request.session()
        let topic = store.reader.logTopic(for: try request.caller())
        var owner = StreamOwner(session: session)
        owner.credential = try request.accessLease()?.credential
        let hold = try StreamOpening.reserve(topic, for: &owner, request, store)
        store.streams.counters.begins(resume)
        let counted = request.countStream(topic)
        if hold != nil || counted != nil {
            owner.onEnd = {
                hold?.end()
                counted?()
            }
        }
        let head = StreamOpening.head(for: request)
        request.exchange.stream(
            StreamBeginning(head, topic: topic, resume: resume, owner: owner),
            to: store.streams
        )
    }
}
