import StoreActionCatalog
import StoreCore
import StoreHistory
import StoreTelemetry

/// The middleware that writes analytics. The middleware reads the state before each action, and
/// writes the event after the commit of the action.
struct AnalyticsMiddleware<State: Sendable>: Sendable {
    /// The name of this middleware in `GET /debug/middleware`.
    static var id: String { "analytics" }

    let registry: ActionRegistry<State>
    /// The writer of the lines; `nil` if no lines are written.
    let writer: AnalyticsWriter?
    /// The newest events, for `GET /analytics`; `nil` if no events are kept.
    let recentEvents: RecentAnalytics?
    let encoder: CloudEventEncoder

    /// Makes the event of an action. The Core calls this function before the reducer, and calls the
    /// returned closure after the commit.
    @Sendable
    func observe(
        _ state: State,
        _ action: any Action,
        _ envelope: ActionEnvelope
    ) -> (@Sendable () -> Void)? {
        let event = AnalyticsEvent(
            version: envelope.version,
            time: envelope.time,
            type: action.wireNameTemplate(of: envelope.type),
            subject: registry[envelope.type]?.subject,
            declaredValue: registry.analyticsRecord(
                of: action,
                in: envelope,
                before: state
            ),
            traceparent: TraceContext.traceparent(in: envelope.meta)
        )
        return { [writer, recentEvents, encoder] in
            recentEvents?.add(event, encoder)
            writer?.offer(event, encoder)
        }
    }
}
