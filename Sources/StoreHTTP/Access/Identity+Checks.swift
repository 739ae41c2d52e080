package import StoreActionCatalog
import StoreAuthentication
import StoreAuthorization
import StoreHTTPTransport
import StoreTelemetry
package import StoreWire

extension Identity {
    /// Checks if this sender may send a request to a resource. `served` is `nil` for a method that
    /// the resource does not have.
    ///
    /// - Throws: 404 for a resource that the sender may not see. For a use that it may not make,
    ///   401 without a credential and 403 with one.
    func check(
        _ request: HTTPExchange,
        _ served: ServedRoute?,
        of resource: Resource
    ) throws(Problem) {
        let access = served?.route.access ?? resource.access.forOptions
        let need = try access.need(of: request, at: resource.path)
        guard let denial = denial(of: need, at: access) else { return }
        denials.deny(need.grant)
        throw problem(denial, path: request.path)
    }

    /// True if the sender may use a route with at least one path. The list of routes shows such
    /// routes.
    func lists(_ route: Route) -> Bool {
        switch route.access {
        case .need(let need), .ofModule(_, let need): denial(of: need, at: route.access) == nil
        case .viewActions: denial(of: .dispatch, at: route.access) == nil
        case .memberInPath: role?.seesState == true
        }
    }

    private func denial(of need: RouteNeed, at access: RouteAccess) -> Denial? {
        let denial = denial(of: need)
        switch access {
        case .need, .memberInPath:
            return denial
        case .ofModule(let module, _):
            return denial == nil || sees(module) ? denial : .hidden
        case .viewActions(let module, let places):
            return sees(module) || places.contains(where: mayDispatch) ? denial : .hidden
        }
    }

    private func sees(_ module: String) -> Bool { role?.sees(member: module) == true }

    /// Makes the answer to a denied request.
    func problem(_ denial: Denial, path: String) -> Problem {
        switch denial {
        case .hidden: .notFound(path: path)
        case .mayNot(let detail) where stamp == nil: .unauthorized(detail)
        case .mayNot(let detail): .forbidden(detail)
        }
    }
}

extension Identity: DispatchPermission {
    package func check(_ action: FoundAction, _ payload: JSONNode?) throws(Problem) {
        let denial =
            role?.denial(
                ofAction: action.place,
                action.entry.form.name,
                payload,
                principal: principal.name
            )
        guard let denial = role == nil ? .hidden : denial else { return }
        denials.deny(.dispatch)
        throw problem(denial, path: action.name)
    }

    package func mayDispatch(_ place: Int) -> Bool {
        if case .never = role?.permission(ofAction: place) ?? .never { false } else { true }
    }
}

extension RouteNeed {
    /// The kind of grant that the policy lacks, for the metrics.
    fileprivate var grant: PolicyDenials.Grant {
        switch self {
        case .nothing, .group: .use
        case .state, .member, .view, .views, .log: .read
        case .dispatch: .dispatch
        case .useCase, .notification: .call
        }
    }
}
