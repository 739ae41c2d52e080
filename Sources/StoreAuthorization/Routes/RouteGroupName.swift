/// A group of routes that a policy grants together, in `use`.
package enum RouteGroupName: String, Sendable, CaseIterable {
    /// The descriptions of the store: `/schema`, `/openapi.json`.
    case schema
    /// Sessions, and the routes of their screens: `/sessions`, `/session`, `/route`.
    case sessions
    /// The running effects, and their cancellation: `/effects`.
    case effects
    /// The last analytics events: `/analytics`.
    case analytics
    /// `/metrics`.
    case metrics
    /// The debug surface: `/debug/…`.
    case debug
    /// No route of its own: the data of all sessions, in each route that reads state.
    case operate
    /// The list of the process's stores: `/stores`.
    case stores
    /// The test clock: `/test/clock`.
    case clock

    /// The bit of the group in a set of groups.
    var bit: UInt16 {
        switch self {
        case .schema: 1 << 0
        case .sessions: 1 << 1
        case .effects: 1 << 2
        case .analytics: 1 << 3
        case .metrics: 1 << 4
        case .debug: 1 << 5
        case .operate: 1 << 6
        case .stores: 1 << 7
        case .clock: 1 << 8
        }
    }
}
