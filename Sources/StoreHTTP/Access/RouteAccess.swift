import StoreAuthorization
import StoreHTTPTransport
import StoreWire

/// What a caller's role has to allow for a route.
enum RouteAccess: Sendable {
    /// This, whatever the path is.
    case need(RouteNeed)
    /// To see the member of the state that the first parameter of the path names.
    case memberInPath
    /// This, of the module of this name: for those who may not do it and do not see the module it
    /// is not there.
    case ofModule(String, RouteNeed)
    /// To dispatch actions of the views of the module of this name, at these places of the table of
    /// actions: for those who may dispatch none of them and do not see the module it is not there.
    case viewActions(String, places: [Int])

    /// All may use it: health, what problems mean, what gives or takes a cookie.
    static let everyone = RouteAccess.need(.nothing)
    /// To see something of the state; what the role does not see, the answer leaves out.
    static let state = RouteAccess.need(.state)
    /// To see some view; the answer leaves out the others.
    static let views = RouteAccess.need(.views)
    static let log = RouteAccess.need(.log)
    /// To dispatch some action; the handler asks for each that is sent.
    static let dispatch = RouteAccess.need(.dispatch)

    /// What asking for the methods of a resource needs: nothing, where its path tells nothing.
    var forOptions: RouteAccess {
        switch self {
        case .memberInPath, .ofModule, .viewActions, .need(.member), .need(.view): self
        case .need: .everyone
        }
    }

    /// What a request to a path needs.
    func need(of request: HTTPExchange, at path: PathTemplate) throws(Problem) -> RouteNeed {
        switch self {
        case .need(let need), .ofModule(_, let need): need
        case .viewActions: .dispatch
        case .memberInPath: .member(try path.value(0, of: request))
        }
    }

    static func view(_ name: String) -> RouteAccess { .need(.view(name)) }

    /// To call a use case, by the name that a policy has for it.
    static func useCase(_ name: String, of module: String) -> RouteAccess {
        .ofModule(module, .useCase(name))
    }

    static func notification(_ name: String) -> RouteAccess { .need(.notification(name)) }
}

// The groups of routes that a policy grants by their names.
extension RouteAccess {
    static let schema = RouteAccess.need(.group(.schema))
    static let sessions = RouteAccess.need(.group(.sessions))
    static let effects = RouteAccess.need(.group(.effects))
    static let analytics = RouteAccess.need(.group(.analytics))
    static let metrics = RouteAccess.need(.group(.metrics))
    static let debug = RouteAccess.need(.group(.debug))
    static let stores = RouteAccess.need(.group(.stores))
    static let clock = RouteAccess.need(.group(.clock))
}
