/// The permission that a route needs from a role.
package enum RouteNeed: Sendable, Equatable {
    /// No permission. Health, the index, the pages of problems, logins and logouts have this need.
    case nothing
    /// The permission to see at least one member of the state. The route shows only the members
    /// that the role sees.
    case state
    /// The permission to see this member of the state.
    case member(String)
    /// The permission to see at least one view. The route shows only the views that the role sees.
    case views
    case view(String)
    case log
    /// The permission to dispatch at least one action. The server also checks each dispatched
    /// action.
    case dispatch
    /// The permission to call the use case with this name of ``PolicyVocabulary/useCases``.
    case useCase(String)
    case notification(String)
    case group(RouteGroupName)

    /// True if the route shows a single member of the state or a single view. A role that may not
    /// see the member or the view gets 404.
    package var isHiddenIfDenied: Bool {
        switch self {
        case .member, .view: true
        case .nothing, .state, .views, .log, .dispatch, .useCase, .notification, .group: false
        }
    }
}

extension Role {
    /// Returns the reason why the role may not use a route with this need; `nil` if the role may
    /// use the route.
    package func denial(of need: RouteNeed) -> Denial? {
        switch need {
        case .nothing: nil
        case .state: seesState ? nil : .forbidden("The role '\(name)' may not read the state.")
        case .member(let member): sees(member: member) ? nil : .hidden
        case .views: seesViews ? nil : .forbidden("The role '\(name)' may not read views.")
        case .view(let view): sees(view: view) ? nil : .hidden
        case .log: readsLog ? nil : .forbidden("The role '\(name)' may not read the log.")
        case .dispatch: mayDispatch ? nil : .forbidden("The role '\(name)' may dispatch no action.")
        case .useCase(let path):
            mayCall(useCase: path)
                ? nil : .forbidden("The role '\(name)' may not call the use case '\(path)'.")
        case .notification(let event):
            mayNotify(event)
                ? nil : .forbidden("The role '\(name)' may not send the notification '\(event)'.")
        case .group(let group):
            mayUse(group)
                ? nil
                : .forbidden("The role '\(name)' may not use the routes of '\(group.rawValue)'.")
        }
    }
}

/// The name of a group of routes that a policy grants together, in the list `use`.
package enum RouteGroupName: String, Sendable, CaseIterable {
    /// The descriptions of the store: `/schema`, `/openapi.json`.
    case schema
    /// Sessions, and the routes of their screens: `/sessions`, `/session`, `/route`.
    case sessions
    /// The running effects, and their cancellation: `/effects`.
    case effects
    /// The newest analytics events: `/analytics`.
    case analytics
    /// The metrics: `/metrics`.
    case metrics
    /// The debug routes: `/debug/…`.
    case debug
    /// The data of all sessions and users, in each route that reads the state, and the list of
    /// users: `/users`.
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
