import StoreActionCatalog
import StoreAdmission
import StoreCore
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StoreWire

/// `GET /trace`: the trace of an action, from the first action of the chain, with the steps of each
/// action.
struct TraceRoutes: RouteGroup {
    static let actionsMax: UInt64 = 1_000

    let store: Store
    private let version = Parameter.number(
        "version",
        "The version of an action in the trace; the newest version by default."
    )

    var routes: [Route] {
        [
            .reading(
                store.links.trace,
                "Trace",
                "The causes and consequences of an action, step by step.",
                needs: .log,
                parameters: [version],
                answers: [.json(Self.schema, "The steps.")],
                problems: [.gone, .notFound],
                handle: show
            )
        ]
    }

    private var reader: StateReader { store.reader }

    private static var schema: JSONSchema {
        let step = JSONSchema.object([
            .init(
                "step",
                .stringEnum(["routing", "ui", "internal", "reduce", "notify", "reaction"])
            ),
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
        let newest = reader.version
        let version = request[version] ?? newest
        guard version <= newest else { throw .notFound(version: version, newest: newest) }
        let caller = try request.caller()
        request.respond(on: reader.threads.traces, orBusy: "too many log reads wait already") {
            [self] () throws(Problem) in
            try response(version, for: caller)
        }
    }

    private func response(_ version: UInt64, for caller: Caller) throws(Problem) -> HTTPResponse {
        let family = try reader.trace(of: version, actionsMax: Self.actionsMax, for: caller)
        return .uncached { json in
            json.member("epoch", reader.epochText)
            json.member("version", version)
            json.key("steps")
            json.array { json in
                for record in family { write(record, to: &json) }
            }
        }
    }

    /// Writes the steps of an action: its cause, its dispatch, its reduction, and the notification
    /// of readers. Leaves out the first step if the action has no cause, and the last step if the
    /// state did not change.
    private func write(_ record: Record, to json: inout JSONWriter) {
        let entry = store.actions[record.type]
        if let cause = record.cause {
            json.object { json in
                json.member("step", "reaction")
                json.member("cause", cause)
                if let origin = record.origin { json.member("origin", origin) }
            }
        }
        json.object { json in
            json.member("step", Self.dispatchStepName(for: entry?.access))
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

    private static func dispatchStepName(for access: ActionAccess?) -> String {
        switch access {
        case .views?: "ui"
        case .program?: "internal"
        case .everybody?, nil: "routing"
        }
    }
}
