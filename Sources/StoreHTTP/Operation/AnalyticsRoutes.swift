import StoreJSONSchema
import StoreTelemetry
import StoreWire

/// `GET /analytics`: the last analytics events, for operators, if the server keeps events.
struct AnalyticsRoutes: RouteGroup {
    /// The maximum number of events in an answer if the request sets no limit.
    static let limitDefault: UInt64 = 100

    private static let limit = Parameter.number(
        "limit",
        in: 1...UInt64(RecentAnalytics.countCeiling),
        "The maximum number of entries in the answer; \(limitDefault) by default."
    )

    let store: Store
    let recent: RecentAnalytics

    var routes: [Route] {
        [
            .reading(
                store.links.analytics,
                "Analytics",
                "The last analytics events, the newest last, for operators.",
                needs: .analytics,
                parameters: [Self.limit],
                answers: [.init(200, "The events.", bodies: [.init(Self.mediaType, Self.schema)])],
                problems: [.forbidden],
                audience: .operators,
                handle: show
            )
        ]
    }

    private static let mediaType = "application/cloudevents-batch+json"
    private static let schema = JSONSchema.array(
        of: .object([
            .init("specversion", .string()), .init("id", .string()), .init("source", .string()),
            .init("type", .string()), .init("subject", .string(), isRequired: false),
            .init("time", .string()), .init("datacontenttype", .string()),
            .init("data", .any),
        ])
    )

    private func show(_ request: RequestContext) throws(Problem) {
        // The events contain values from actions of all sessions.
        guard store.reader.showsEverything(to: try request.caller()) else {
            throw .forbidden(
                "Analytics have the actions of all sessions, and each session of this store has "
                    + "its own state. If only operators can reach the server, --operator-reads "
                    + "shows analytics to clients without a session."
            )
        }
        let limit = request[Self.limit] ?? Self.limitDefault
        request.respond(
            on: store.reader.threads.logPages,
            orBusy: "too many log reads wait already"
        ) {
            [recent] in
            .uncached(recent.newestEventsJSON(limit: Int(limit)), as: Self.mediaType)
        }
    }
}
