/// What a role needs for a route.
package enum RouteNeed: Sendable, Equatable {
    /// All may use it: health, the index, the pages of problems, logging in
    /// and out.
    case nothing
    /// Some member of the state; the route leaves out those that the role does not see.
    case state
    /// This member of the state.
    case member(String)
    /// Some view; the route leaves out those that the role does not see.
    case views
    case view(String)
    case log
    /// Some action; each that is sent is asked about.
    case dispatch
    /// A use case, as ``PolicyWorld/useCases`` names it.
    case useCase(String)
    case notification(String)
    case group(RouteGroupName)

    /// Whether it is to see one thing by its name, which is not there for those who may not.
    package var isOfOne: Bool {
        switch self {
        case .member, .view: true
        case .nothing, .state, .views, .log, .dispatch, .useCase, .notification, .group: false
        }
    }
}

extension Role {
    /// Why the role may not use a route; `nil` where it may.
    package func denial(of need: RouteNeed) -> Denial? {
        switch need {
        case .nothing: nil
        case .state: seesState ? nil : .mayNot("The role '\(name)' may not read the state.")
        case .member(let member): sees(member: member) ? nil : .hidden
        case .views: seesViews ? nil : .mayNot("The role '\(name)' may not read views.")
        case .view(let view): sees(view: view) ? nil : .hidden
        case .log: readsLog ? nil : .mayNot("The role '\(name)' may not read the log.")
        case .dispatch: dispatches ? nil : .mayNot("The role '\(name)' may dispatch no action.")
        case .useCase(let path):
            mayCall(useCase: path)
                ? nil : .mayNot("The role '\(name)' may not call the use case '\(path)'.")
        case .notification(let event):
            mayNotify(event) ? nil : .mayNot("The role '\(name)' may not notify of '\(event)'.")
        case .group(let group):
            mayUse(group)
                ? nil : .mayNot("The role '\(name)' may not use the routes '\(group.rawValue)'.")
        }
    }
}
