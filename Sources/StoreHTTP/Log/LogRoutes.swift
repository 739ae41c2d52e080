import StoreCore
import StoreHTTPTransport
import StoreHistory
import StoreWire

/// `GET /actions`: the log of actions, a page at a time.
package struct LogRoutes: RouteGroup {
    package let links: Links
    package let reader: StateReader

    package init(
        links: Links,
        reader: StateReader
    ) {
        self.links = links
        self.reader = reader
    }

    package var routes: [Route] {
        [
            .read(
                links.actions,
                "Actions",
                "The applied actions in their order, a page at a time.",
                needs: .log,
                parameters: [
                    LogParameters.after, LogParameters.limit, LogParameters.type,
                    LogParameters.cause,
                ],
                answers: [.json(.reference("LogPage"), "The page.")],
                problems: [.gone],
                handle: page
            )
        ]
    }

    private func page(_ request: RequestContext) throws(Problem) {
        let query = LogQuery(
            after: request[LogParameters.after],
            limit: request[LogParameters.limit] ?? LogParameters.limitDefault,
            type: request[LogParameters.type],
            cause: request[LogParameters.cause]
        )
        let caller = try request.caller()
        request.respond(on: reader.threads.logPages, orBusy: "enough reads of the log wait already")
        { [reader, links] () throws(Problem) in
            try reader.page(query, for: caller).response(links)
        }
    }
}

/// The query parameters of requests for the log.
enum LogParameters {
    /// The most records in a page.
    static let limitMax: UInt64 = 1_000
    /// The most records in a page if the request sets no limit.
    static let limitDefault: UInt64 = 100

    static let after = Parameter.number(
        "after",
        "Only actions after this version; else from the oldest that is kept."
    )
    static let limit = Parameter.number(
        "limit",
        in: 1...limitMax,
        "The most entries in the answer, \(limitDefault) by default."
    )
    static let type = Parameter.text("type", "Only actions of this wire name.")
    static let cause = Parameter.number(
        "cause",
        "Only actions that follow from this version, directly or through others."
    )
}
