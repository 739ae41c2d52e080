import StoreHTTPTransport
package import StoreWire

/// Why a store takes no requests: a code for programs, and the problem that its clients get.
package struct NotReady: Sendable {
    /// The codes, which stay.
    package enum Code: String, Sendable, CaseIterable {
        /// What the program needs is being prepared.
        case preparing
        /// The state is being made of the journal.
        case replaying
        /// The start is under way otherwise.
        case starting
        /// The server stops.
        case draining
        /// A write or a sync has failed.
        case journalFailed = "journal-failed"
        /// A reducer does not come to its end.
        case actionStuck = "action-stuck"
        /// A store could not be started.
        case notStarted = "not-started"
    }

    let code: Code
    package let problem: Problem
    /// The name of the store, where there are several.
    private(set) var store: String?

    package init(_ code: Code, _ problem: Problem) {
        self.code = code
        self.problem = problem
    }

    package static let draining = NotReady(.draining, .draining())
    package static let journalFailed = NotReady(.journalFailed, .journalFailed())

    func naming(_ store: String) -> NotReady {
        var reason = self
        reason.store = store
        return reason
    }
}

extension [NotReady] {
    /// The whole answer for who asks for JSON, and for whom nothing else will do.
    var response: HTTPResponse {
        .uncached(status: isEmpty ? 200 : 503) { json in
            json.member("ready", isEmpty)
            json.list("reasons", of: self) { json, reason in
                json.member("code", reason.code.rawValue)
                json.member("detail", reason.problem.detail)
                if let store = reason.store { json.member("store", store) }
            }
        }
    }

    static let schema = JSONSchema.object([
        .init("ready", .boolean),
        .init(
            "reasons",
            .array(
                of: .object([
                    .init("code", .string()), .init("detail", .string()),
                    .init("store", .string(), isRequired: false),
                ])
            )
        ),
    ])
}

extension HTTPExchange {
    /// Whether the client asks for JSON by its name, and not for anything.
    var asksForJSON: Bool {
        (headerList("accept") ?? "").split(separator: ",").contains { range in
            let type = range.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
            return type.lowercased() == "application/json"
        }
    }
}
