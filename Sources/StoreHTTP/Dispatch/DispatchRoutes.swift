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
            )
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
                + (hasEffects
                    ? [
                        .json(
                            .applied,
                            "Applied, but what follows takes longer than the client waits.",
                            status: 202,
                            headers: headers
                        )
                    ] : []),
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
