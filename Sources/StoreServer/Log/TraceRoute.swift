import HTTPTransport
import StoreCore
import Wire

/// `GET /trace?version=N`, and without a version the newest: what one action led to, step by step: who said what, what it changed, who was
/// told, and what they said to that.
struct TraceRoute<State: Codable & Equatable & Sendable>: Route {
    /// The most actions that a trace shows.
    static var actionsMax: UInt64 { 1_000 }

    let methods = ["GET", "HEAD"]
    let store: Store<State>
    let journal: any Journal
    let work: BackgroundWork

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        let query = try Query.of(exchange, allowed: ["version"])
        let newest = store.publisher.snapshot.version
        let given: UInt64?
        do { given = try query.number("version") } catch { throw .badRequest(error.detail) }
        let version = given ?? newest
        guard version <= newest else { throw .notFound(path: "/trace?version=\(version)") }
        exchange.suspend()
        let isTaken = work.submit { [self] in
            do throws(Problem) {
                exchange.complete(try response(version, newest))
            } catch {
                exchange.complete(error.response(for: RequestID.next()))
            }
            store.wake()
        }
        guard !isTaken else { return }
        let problem = Problem.overloaded("enough reads of the log wait already")
        exchange.complete(problem.response(for: RequestID.next()))
        store.wake()
    }

    private func response(_ version: UInt64, _ newest: UInt64) throws(Problem) -> HTTPResponse {
        let reader = LogPageReader(
            journal: journal,
            epoch: store.publisher.epoch,
            newest: newest,
            after: nil,
            limit: Self.actionsMax,
            type: nil
        )
        // Nothing led to the initial state.
        let family = version == 0 ? [] : try reader.family(of: version)
        var json = JSONWriter(capacity: 256 + 256 * family.count)
        json.object { json in
            json.member("epoch", store.publisher.epochText)
            json.member("version", version)
            json.key("steps")
            json.array { json in
                for record in family { write(record, to: &json) }
            }
        }
        return HTTPResponse(
            status: 200,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes(json.array)
        )
    }

    /// An action is three steps: it is said, reduced, and told of.
    private func write(_ record: Record, to json: inout JSONWriter) {
        let entry = store.registry[record.type]
        if let cause = record.cause {
            json.object { json in
                json.member("step", "reaction")
                json.member("cause", cause)
                if let origin = record.origin { json.member("origin", origin) }
            }
        }
        json.object { json in
            json.member("step", Self.word(for: entry?.access))
            json.member("version", record.version)
            json.member("type", record.type)
        }
        json.object { json in
            json.member("step", "reduce")
            json.member("version", record.version)
            if let module = entry?.module { json.member("module", module) }
            json.member("changed", record.changed)
        }
        guard record.changed else { return }
        json.object { json in
            json.member("step", "notify")
            json.member("version", record.version)
        }
    }

    private static func word(for access: ActionAccess?) -> String {
        switch access {
        case .views?: "ui"
        case .program?: "internal"
        case .everybody?, nil: "routing"
        }
    }
}
