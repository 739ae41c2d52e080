import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
package import StoreWire

/// The reason why a store takes no requests: a code for programs, and the problem for clients.
package struct NotReadyReason: Sendable {
    /// The codes of the reasons. The codes never change, so clients may rely on them.
    package enum Code: String, Sendable, CaseIterable {
        /// The program prepares its resources.
        case preparing
        /// The state is being made from the journal.
        case replaying
        /// The start is in a phase other than ``preparing`` and ``replaying``.
        case starting
        /// The server stops.
        case draining
        /// A write or a sync of the journal has failed.
        case journalFailed = "journal-failed"
        /// A reducer does not return.
        case actionStuck = "action-stuck"
        /// A store could not be started.
        case notStarted = "not-started"
    }

    let code: Code
    package let problem: Problem
    /// The name of the store; `nil` if the process serves a single store.
    private(set) var storeName: String?

    package init(_ code: Code, _ problem: Problem) {
        self.code = code
        self.problem = problem
    }

    package static let draining = NotReadyReason(.draining, .draining())
    package static let journalFailed = NotReadyReason(.journalFailed, .journalFailed())

    func naming(_ store: String) -> NotReadyReason {
        var reason = self
        reason.storeName = store
        return reason
    }
}

extension [NotReadyReason] {
    /// The answer to a client that asks for JSON: 200 if there are no reasons, else 503.
    var response: HTTPResponse {
        .uncached(status: isEmpty ? 200 : 503) { json in
            json.member("ready", isEmpty)
            json.objectArray("reasons", of: self) { json, reason in
                json.member("code", reason.code.rawValue)
                json.member("detail", reason.problem.detail)
                if let store = reason.storeName { json.member("store", store) }
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
    /// True if the client names JSON in `Accept`. A wildcard does not count.
    var asksForJSON: Bool {
        (headerList("accept") ?? "").split(separator: ",").contains { range in
            let type = range.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
            return type.lowercased() == "application/json"
        }
    }
}

/// The reasons why the server takes no requests, with the problem for clients. Without reasons, the
/// server is ready.
package struct Readiness: Sendable {
    /// The reasons; empty while the server takes requests.
    let reasons: [NotReadyReason]
    /// The problem for a client that does not ask for JSON; `nil` while the server takes requests.
    package let problem: Problem?

    /// Makes the readiness of a single store.
    package init(_ reason: NotReadyReason?) {
        reasons = reason.map { [$0] } ?? []
        problem = reason?.problem
    }

    /// Makes the readiness of a process with several stores.
    package init(_ stores: [StoreStatus]) {
        reasons = stores.compactMap { store in store.notReadyReason()?.naming(store.name) }
        problem = stores.someNotReadyProblem
    }
}
