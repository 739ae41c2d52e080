import ActionCatalog
import StoreCore
import Telemetry
import Wire

/// The middleware that analytics are: sees the state before each action, and releases one line for
/// it when the action is committed.
struct Analytics<State: Sendable>: Sendable {
    let registry: ActionRegistry<State>
    let writer: AnalyticsWriter
    let encoder: CloudEventEncoder

    /// What the Core calls before it reduces an action; the answer runs after the commit.
    func observe(_ state: State, _ action: StampedAction) -> (@Sendable () -> Void)? {
        let event = AnalyticsEvent(
            version: action.version,
            time: action.time,
            type: action.type,
            subject: registry[action.type]?.module,
            record: registry.record(of: action.action, before: state)
        )
        return { [writer, encoder] in writer.offer(event, encoder) }
    }
}
