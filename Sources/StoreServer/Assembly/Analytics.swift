import StoreActionCatalog
import StoreCore
import StoreTelemetry
import StoreWire

/// The middleware that analytics are, as a program could add it
/// (``StoreServer/middleware(_:_:)``): sees the state before each action, and releases one event
/// for it when the action is committed.
struct Analytics<State: Sendable>: Sendable {
    /// Its name in `GET /debug/middleware`.
    static var id: String { "analytics" }

    let registry: ActionRegistry<State>
    /// Where the lines go; `nil` for nowhere.
    let writer: AnalyticsWriter?
    /// The last events, for those who ask for them; `nil` where none are kept.
    let recent: RecentAnalytics?
    let encoder: CloudEventEncoder

    /// What the Core calls before it reduces an action.
    func observe(_ state: State, _ action: any Action, _ envelope: ActionEnvelope) {
        let event = AnalyticsEvent(
            version: envelope.version,
            time: envelope.time,
            type: action.kind(of: envelope.type),
            subject: registry[envelope.type]?.subject,
            record: registry.record(of: action, of: envelope.session, before: state),
            traceparent: TraceContext.parent(of: envelope.meta)
        )
        envelope.afterCommit { [writer, recent, encoder] in
            recent?.add(event, encoder)
            writer?.offer(event, encoder)
        }
    }
}
