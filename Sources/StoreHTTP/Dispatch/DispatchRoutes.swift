import ActionCatalog
import HTTPTransport
import StoreCore
package import Wire

/// `POST /dispatch`: reads actions, hands them to the Core, answers when they are applied. The same
/// for the actions of a module's views, under `POST /modules/<name>/ui`.
package struct DispatchRoutes: RouteGroup {
    package let links: Links
    package let store: Store
    package let limits: JSONLimits
    package let batchMax: Int
    /// The modules whose views have actions, and the actions.
    package let views: [(module: String, actions: [ActionForm])]
    /// Whether the state is made of modules, whose actions have effects.
    package let hasEffects: Bool

    package init(
        _ links: Links,
        _ store: Store,
        _ limits: JSONLimits,
        batchMax: Int,
        views: [(module: String, actions: [ActionForm])],
        hasEffects: Bool
    ) {
        self.links = links
        self.store = store
        self.limits = limits
        self.batchMax = batchMax
        self.views = views
        self.hasEffects = hasEffects
    }

    package var routes: [Route] {
        [
            route(
                links.dispatch,
                "dispatch",
                "Apply one action, or an array of them whole or not at all.",
                .reference("Dispatch"),
                from: .everybody,
                origins: .all
            ),
            outcome,
        ]
            + views.map { view in
                route(
                    links.moduleUI(view.module),
                    "ui." + view.module,
                    "Apply what a view of the module \(view.module) says.",
                    .dispatch(of: view.actions, batchMax: batchMax),
                    from: .views(of: view.module),
                    origins: .all
                )
            }
    }

    private func route(
        _ path: String,
        _ id: String,
        _ summary: String,
        _ schema: JSONSchema,
        from audience: ActionAudience,
        origins: AllowedOrigins
    ) -> Route {
        let headers = ["ETag", "Preference-Applied", "Idempotency-Replayed"]
        return .change(
            .post,
            path,
            id,
            summary,
            parameters: [
                DispatchParameters.dryRun, CancelOnClose.parameter,
                HeaderParameter("Prefer", .string(), "return=representation, wait=N (RFC 7240)."),
                HeaderParameter.ifMatch, HeaderParameter.idempotencyKey,
            ],
            body: .json(schema),
            answers: [
                .json(
                    .anyOf([.applied, .dryRun]),
                    "Applied; or, for a dry run, what would be.",
                    headers: headers
                )
            ]
                + [
                    .json(
                        .applied,
                        "Applied, but what follows takes longer than the client waits.",
                        status: 202,
                        headers: headers + ["Location", "Retry-After"]
                    )
                ],
            problems: [
                .refused, .versionMismatch, .unknownAction, .invalidPayload, .idempotencyMismatch,
                .storageFull, .forbidden,
            ] + (hasEffects ? [.effectFailed] : []),
            origins: origins
        ) {
            [
                handler = DispatchHandler(
                    store,
                    limits: limits,
                    batchMax: batchMax,
                    audience: audience
                )
            ] request throws(Problem)
            in
            try handler.dispatch(request)
        }
    }

    /// What became of a dispatch that was answered with 202.
    private var outcome: Route {
        let headers = ["ETag", "Preference-Applied"]
        return .read(
            links.dispatch + "/{version}",
            "Outcome",
            "What became of a dispatch that was answered with 202, for its session and operators.",
            parameters: [
                Parameter.path("version", "The last version of the dispatch."),
                HeaderParameter.prefersWait,
            ],
            answers: [
                .json(.applied, "All that follows it has ended.", headers: headers),
                .json(
                    .applied,
                    "What follows it takes longer than the client waits.",
                    status: 202,
                    headers: headers + ["Location", "Retry-After"]
                ),
            ],
            problems: [.notFound, .forbidden] + (hasEffects ? [.effectFailed] : [])
        ) { [store] request throws(Problem) in
            let caller = try request.caller()
            let version = try request.path()
            guard let number = UInt64(version),
                let dispatch = store.outcomes.dispatch(number, for: caller)
            else { throw .notFound(outcomeOf: version) }
            // Its header fields are read before it is put off.
            let ticket = DispatchTicket(request, store: store, about: dispatch, caller: caller)
            request.exchange.park()
            ticket.wait(for: dispatch)
        }
    }
}

extension HeaderParameter {
    fileprivate static let idempotencyKey = HeaderParameter(
        "Idempotency-Key",
        .text(pattern: #"^"([ !#-\[\]-~]|\\["\\]){1,255}"$"#),
        "A name for this request, in double quotes: however often it comes, it is applied once."
    )
}

/// The parameters of requests to dispatch.
enum DispatchParameters {
    static let dryRun = Parameter.flag("dry-run", "Show what would change instead.")
}
