import StoreCore
import StoreHistory
import StoreJSON
package import StoreJSONSchema
import StoreWire

/// `GET /actions`: the log of actions, a page at a time.
struct LogRoutes: RouteGroup {
    let store: Store

    var routes: [Route] {
        [
            .reading(
                store.links.actions,
                "Actions",
                "The applied actions in their order, a page at a time.",
                needs: .log,
                parameters: [
                    LogParameters.after, LogParameters.limit, LogParameters.type,
                    LogParameters.cause,
                ],
                answers: [.json(.reference("LogPage"), "The page.")],
                problems: [.gone],
                handle: showPage
            )
        ]
    }

    private func showPage(_ request: RequestContext) throws(Problem) {
        let query = LogQuery(
            after: request[LogParameters.after],
            limit: request[LogParameters.limit] ?? LogParameters.limitDefault,
            type: request[LogParameters.type],
            cause: request[LogParameters.cause]
        )
        let caller = try request.caller()
        let reader = store.reader
        request.respond(on: reader.threads.logPages, orBusy: "too many log reads wait already") {
            () throws(Problem) in
            .uncached(try reader.page(query, for: caller).body(store.links))
        }
    }
}

enum LogParameters {
    static let limitMax: UInt64 = 1_000
    /// The maximum number of records in a page if the request sets no limit.
    static let limitDefault: UInt64 = 100

    static let after = Parameter.number(
        "after",
        "Only actions after this version; without it, from the oldest action in the journal."
    )
    static let limit = Parameter.number(
        "limit",
        in: 1...limitMax,
        "The maximum number of entries in the answer; \(limitDefault) by default."
    )
    static let type = Parameter.text("type", "Only actions of this wire name.")
    static let cause = Parameter.number(
        "cause",
        "Only actions that the action of this version caused, directly or through other actions."
    )
}

// Pages

extension LogPage {
    /// Returns the path of the next page. The path on the last page leads to the actions that are
    /// applied later.
    func nextPath(_ links: Links) -> String {
        let type = query.type.map { "&type=" + PercentEncoding.encode($0) } ?? ""
        let cause = query.cause.map { "&cause=\($0)" } ?? ""
        return links.actions + "?after=\(searchedThrough)&limit=\(query.limit)" + type + cause
    }

    fileprivate func body(_ links: Links) -> [UInt8] {
        var body = JSONOutput(capacity: 256 + 192 * records.count)
        body.raw("{\"epoch\":\"")
        body.raw(epoch.description.utf8)
        body.raw("\",\"version\":")
        body.integer(newestVersion)
        body.raw(",\"actions\":[")
        for (place, record) in records.enumerated() {
            if place > 0 { body.raw(",") }
            body.record(record)
        }
        body.raw("],\"next\":")
        body.string(nextPath(links))
        body.raw("}")
        return body.array
    }
}

/// The schemas of answers that are made from the log's records, with their names in the description
/// of the API.
package enum LogSchema {
    package static var definitions: [JSONSchema.Property] {
        [.init("LogPage", page), .init("Blame", blame)]
    }

    private static var page: JSONSchema {
        .object([
            .init("epoch", .string()), .init("version", .unsigned),
            .init("actions", .array(of: .reference("LogRecord"))), .init("next", .string()),
        ])
    }

    /// The schema of the action that last changed a part of the state.
    private static var blame: JSONSchema {
        let action = JSONSchema.object([
            .init("version", .unsigned), .init("type", .string()), .init("time", .string()),
            .init("principal", .string(), isRequired: false),
            .init("role", .string(), isRequired: false),
        ])
        return .object([
            .init("epoch", .string()), .init("version", .unsigned), .init("pointer", .string()),
            .init("changedBy", .nullable(action)), .init("searchedAfter", .unsigned),
            .init("complete", .boolean),
        ])
    }
}
