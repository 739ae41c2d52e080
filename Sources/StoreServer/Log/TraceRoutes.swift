import HTTPTransport
import StoreCore
import Wire

/// `GET /trace`: what one action led to, step by step.
struct TraceRoutes<State: Codable & Equatable & Sendable>: RouteGroup {
    /// The most actions that a trace shows.
    static var actionsMax: UInt64 { 1_000 }

    let links: Links
    let store: Store<State>
    let journal: any Journal
    private let work = BackgroundWork("trace")
    private let version = Parameter.number(
        "version",
        "The version of one of the actions; the newest where nothing is said."
    )

    init(_ links: Links, _ store: Store<State>) {
        self.links = links
        self.store = store
        journal = store.log.journal
    }

    var routes: [Route] {
        [
            .read(
                links.trace,
                "Trace",
                "What one action led to, step by step.",
                parameters: [version],
                answers: [.json(Self.schema, "The steps.")],
                problems: [.gone, .notFound],
                handle: show
            )
        ]
    }

    private static var schema: JSONSchema {
        let step = JSONSchema.object([
            .init("step", .strings(["routing", "ui", "internal", "reduce", "notify", "reaction"])),
            .init("version", .unsigned, isRequired: false),
            .init("type", .string(), isRequired: false),
            .init("module", .string(), isRequired: false),
            .init("changed", .boolean, isRequired: false),
            .init("cause", .unsigned, isRequired: false),
            .init("origin", .string(), isRequired: false),
        ])
        return .object([
            .init("epoch", .string()), .init("version", .unsigned),
            .init("steps", .array(of: step)),
        ])
    }

    private func show(_ request: RequestContext) throws(Problem) {
        let newest = store.publisher.snapshot.version
        let version = request[version] ?? newest
        guard version <= newest else { throw .notFound(version: version, newest: newest) }
        request.respond(on: work, orBusy: "enough reads of the log wait already") {
            [self] () throws(Problem) in
            try response(version, newest)
        }
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
