import HTTPTransport
import Wire

extension StoreServer {
    /// The operator's debug surface by exact path; nothing where it is switched off.
    func debugRoutes(
        for store: Store<State>,
        _ attachments: CoreAttachments
    ) -> [String: any Route] {
        guard store.configuration.debugRoutes else { return [:] }
        return [
            "/debug/subscriptions": SubscriptionsRoute(
                streams: store.streams,
                attachments: attachments,
                presenters: { [modules] in
                    zip(modules?.slices ?? [], store.publisher.snapshot.slices).flatMap {
                        slice,
                        published in
                        published.isStarted ? slice.presenters.map { ($0, slice.name) } : []
                    }
                },
                wake: store.wake
            ),
            "/debug/middleware": ListRoute.middleware(attachments),
            "/debug/commands": ListRoute.commands(commands),
        ]
    }

    /// The parts of the debug surface, each below the path of its list.
    func debugParts(
        for store: Store<State>,
        _ attachments: CoreAttachments,
        limits: JSONLimits
    ) -> [(String, any Route)] {
        guard store.configuration.debugRoutes else { return [] }
        return [
            (
                "/debug/subscriptions/",
                SubscriptionRoute(
                    streams: store.streams,
                    attachments: attachments,
                    wake: store.wake
                )
            ),
            ("/debug/middleware/", MiddlewareRoute(attachments: attachments)),
            (
                "/debug/commands/",
                CommandRoute(commands: commands, limits: limits, wake: store.wake)
            ),
        ]
    }
}
