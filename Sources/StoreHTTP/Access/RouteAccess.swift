import StoreAdmission
import StoreAuthorization
import StoreCore
import StoreHTTPTransport
import StoreWire

/// The right that a caller's role needs for a route.
enum RouteAccess: Sendable {
    /// A right that is the same for every path of the route.
    case need(RouteNeed)
    /// The right to see the member of the state that the first parameter of the path names.
    case memberInPath
    /// A right that concerns this module. A caller without the right gets 404 if it can't see the
    /// module.
    case ofModule(String, RouteNeed)
    /// The right to dispatch actions of this module's views. `actionIndices` are the actions'
    /// indices in the table of actions. A caller gets 404 if it neither has this right nor sees the
    /// module.
    case viewActions(String, actionIndices: [Int])

    /// The empty need: every caller may use the route. The index, the pages of problems, and the
    /// routes for health, for the client's identity and for cookies have this need.
    static let everyone = RouteAccess.need(.nothing)
    /// The right to see at least one member of the state. The answer leaves out hidden members.
    static let state = RouteAccess.need(.state)
    /// The right to see at least one view. The answer leaves out hidden views.
    static let views = RouteAccess.need(.views)
    static let log = RouteAccess.need(.log)
    /// The right to dispatch at least one action. The handler also checks each dispatched action.
    static let dispatch = RouteAccess.need(.dispatch)

    /// The right that `OPTIONS` needs: ``everyone``, unless the path names a member, a module or a
    /// view.
    var accessForOptions: RouteAccess {
        switch self {
        case .memberInPath, .ofModule, .viewActions, .need(.member), .need(.view): self
        case .need: .everyone
        }
    }

    func need(of request: HTTPExchange, at path: PathTemplate) throws(Problem) -> RouteNeed {
        switch self {
        case .need(let need), .ofModule(_, let need): need
        case .viewActions: .dispatch
        case .memberInPath: .member(try path.parameterValue(0, of: request))
        }
    }

    /// The right to see the timers of the store.
    static let schedule = RouteAccess.need(.member(Schedule.name))

    static func view(_ name: String) -> RouteAccess { .need(.view(name)) }

    static func useCase(_ name: String, of module: String) -> RouteAccess {
        .ofModule(module, .useCase(name))
    }

    static func notification(_ name: String) -> RouteAccess { .need(.notification(name)) }
}

// The groups of routes that a policy grants by name.
extension RouteAccess {
    static let schema = RouteAccess.need(.group(.schema))
    static let sessions = RouteAccess.need(.group(.sessions))
    static let effects = RouteAccess.need(.group(.effects))
    static let analytics = RouteAccess.need(.group(.analytics))
    static let metrics = RouteAccess.need(.group(.metrics))
    static let debug = RouteAccess.need(.group(.debug))
    static let operators = RouteAccess.need(.group(.operate))
    static let stores = RouteAccess.need(.group(.stores))
    static let clock = RouteAccess.need(.group(.clock))
}

// Checks

extension Identity {
    /// Checks if this sender may send a request to a resource. `served` is `nil` for a method that
    /// the resource does not have.
    ///
    /// - Throws: 404 for a resource that the sender may not see. For a resource that the sender may
    ///   see but not use, 401 without a credential, else 403.
    func checkAccess(
        _ request: HTTPExchange,
        _ served: ServedRoute?,
        of resource: Resource
    ) throws(Problem) {
        let access = served?.route.access ?? resource.access.accessForOptions
        let need = try access.need(of: request, at: resource.path)
        guard let denial = denial(of: need, at: access) else { return }
        throw countDenial(need, denial, path: request.path)
    }

    /// True if the sender may use the route at some path. The page at `/` lists only routes for
    /// which the result is true.
    func mayUse(_ route: Route) -> Bool {
        switch route.access {
        case .need(let need), .ofModule(_, let need): denial(of: need, at: route.access) == nil
        case .viewActions: denial(of: .dispatch, at: route.access) == nil
        case .memberInPath: role?.seesState == true
        }
    }

    private func denial(of need: RouteNeed, at access: RouteAccess) -> Denial? {
        let denial = denial(of: need)
        switch access {
        case .need, .memberInPath: return denial
        case .ofModule(let module, _):
            return denial == nil || sees(module) ? denial : .hidden
        case .viewActions(let module, let places):
            return sees(module) || places.contains(where: mayDispatch) ? denial : .hidden
        }
    }
}
