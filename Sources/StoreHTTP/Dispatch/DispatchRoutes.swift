import StoreActionCatalog
import StoreCore
import StoreHTTPTransport
import StoreJSONSchema
import StoreWire

/// `POST /dispatch`: reads actions, hands them to the Core, and answers when they are applied.
/// `POST /modules/<name>/ui` does the same for the actions of a module's views.
struct DispatchRoutes: RouteGroup {
    let store: Store

    private var links: Links { store.links }
    private var requestActionsMax: Int { store.bounds.requestActionsMax }
    /// True if the state is made of modules. Actions may then have effects.
    private var hasEffects: Bool { store.engine.effects != nil }

    var routes: [Route] {
        [
            route(
                links.dispatch,
                "dispatch",
                "Apply one action, or an array of actions: all of them or none.",
                .reference("Dispatch"),
                from: .everybody,
                needs: .dispatch
            ),
            outcomeRoute,
        ] + store.modules.flatMap(routes)
    }

    /// Returns the routes for the actions of a module's views; an empty array if the views have no
    /// actions.
    private func routes(of module: SliceDescription) -> [Route] {
        let actions = store.actions.signatures(for: .views(of: module.name))
        if actions.isEmpty { return [] }
        let schema = JSONSchema.dispatchBody(of: actions, arrayActionsMax: requestActionsMax)
        let places = store.actions.entries.indices.filter {
            let entry = store.actions.entries[$0]
            return entry.access == .views && entry.module == module.name
        }
        let access = RouteAccess.viewActions(module.name, actionIndices: places)
        let moduleRoute = route(
            links.moduleUI(module.name),
            "ui." + module.name,
            "Apply an action of a view of the module \(module.name).",
            schema,
            from: .views(of: module.name),
            needs: access
        )
        guard module.cardinality == .instances else { return [moduleRoute] }
        let ofInstance = route(
            links.instanceUITemplate(of: module.name),
            "ui." + module.name + ".instance",
            "Apply an action of the view of an instance of the module \(module.name).",
            schema,
            from: .views(of: module.name),
            needs: access,
            instance: InstanceID.parameter
        )
        return [moduleRoute, ofInstance]
    }

    private func route(
        _ path: String,
        _ id: String,
        _ summary: String,
        _ schema: JSONSchema,
        from audience: ActionSenders,
        needs access: RouteAccess,
        instance: Parameter<String>? = nil
    ) -> Route {
        let headers = ["ETag", "Preference-Applied", "Idempotency-Replayed"]
        return .changing(
            .post,
            path,
            id,
            summary,
            needs: access,
            parameters: (instance.map { [$0] } ?? []) + [
                DispatchParameters.action, DispatchParameters.ifMatchOf,
                DispatchParameters.dryRun, CancelOnClose.parameter,
                HeaderParameter("Prefer", "return=representation, wait=N (RFC 7240)."),
                HeaderParameter.ifMatch, HeaderParameter.idempotencyKey,
            ],
            body: .json(schema),
            answers: [
                .json(
                    .anyOf([.appliedAnswer, .dryRunAnswer]),
                    "Applied; or, for a dry run, the change that would be made.",
                    headers: headers
                ),
                .json(
                    .appliedAnswer,
                    "Applied, but the consequences take longer than the client waits.",
                    status: 202,
                    headers: headers + ["Location", "Retry-After"]
                ),
            ],
            problems: [
                .refused, .versionMismatch, .unknownAction, .invalidPayload, .idempotencyMismatch,
                .storageFull, .forbidden,
            ] + (hasEffects ? [.effectFailed] : []),
            origins: .ownAndAllowedByOriginField,
            takesActionInQuery: true
        ) { [handler = DispatchHandler(store, senders: audience)] request throws(Problem) in
            try handler.dispatch(request, to: instance == nil ? nil : InstanceID.read(request))
        }
    }

    private var outcomeRoute: Route {
        let headers = ["ETag", "Preference-Applied"]
        let outcome = JSONSchema.anyOf([.appliedAnswer, .callOrNotificationAnswer])
        return .reading(
            links.dispatch + "/{version}",
            "Outcome",
            "The outcome of a dispatch that was answered with 202. Only the session that "
                + "dispatched and operators may read it.",
            needs: .dispatch,
            parameters: [
                Parameter.path("version", "The last version of the dispatch."),
                HeaderParameter.preferWait,
            ],
            answers: [
                .json(outcome, "All consequences have ended.", headers: headers),
                .json(
                    outcome,
                    "The consequences take longer than the client waits.",
                    status: 202,
                    headers: headers + ["Location", "Retry-After"]
                ),
            ],
            problems: [.notFound, .forbidden] + (hasEffects ? [.effectFailed] : [])
        ) { [store] request throws(Problem) in
            let caller = try request.caller()
            let version = try request.pathParameter()
            guard let number = UInt64(version),
                let dispatch = store.outcomes.rememberedDispatch(number, for: caller)
            else { throw .notFound(outcomeOf: version) }
            // Make the ticket before the request is parked, because the ticket reads header fields.
            let ticket = try DispatchTicket(request, store: store, about: dispatch, caller: caller)
            request.exchange.park()
            ticket.answerAtEnd(of: dispatch)
        }
    }
}

extension HeaderParameter {
    fileprivate static let idempotencyKey = HeaderParameter(
        "Idempotency-Key",
        "A name for this request, in double quotes; repeated requests are applied once.",
        .text(pattern: #"^"([ !#-\[\]-~]|\\["\\]){1,255}"$"#)
    )
}

enum DispatchParameters {
    static let dryRun = Parameter.flag("dry-run", "Answer with the change, and apply nothing.")
    static let ifMatchOf = Parameter.text(
        "if-match-of",
        "The path of the part or view to which the tag in If-Match belongs."
    )
    static let action = Parameter.text(
        "action",
        "The action as JSON, in place of the body. The links in views have this parameter."
    )
}

// Schemas

extension JSONSchema {
    static let appliedAnswer = JSONSchema.object([
        .init("epoch", .string()), .init("first", .unsigned, isRequired: false),
        .init("version", .unsigned), .init("changed", .boolean),
        .init("completed", .boolean, isRequired: false),
        .init("value", .any, isRequired: false),
        .init("state", .reference("State"), isRequired: false),
    ])

    /// The schema of the answer to a call of a use case, or to a notification.
    static let callOrNotificationAnswer = JSONSchema.object([
        .init("epoch", .string()), .init("version", .unsigned), .init("completed", .boolean),
    ])

    static let dryRunAnswer = JSONSchema.object([
        .init("changed", .boolean),
        .init("patch", .array(of: .object([.init("op", .string()), .init("path", .string())]))),
    ])
}
