package import StoreActionCatalog
package import StoreAuthentication
import StoreAuthorization
import StoreCore
import StoreHTTPTransport
package import StoreJSON
import StoreJSONSchema
import StoreTelemetry
package import StoreWire

/// The sender of a request and its rights: a principal, with its role in the policy.
///
/// Made once for a principal and a policy, so that a request copies a reference.
package final class Identity: Sendable {
    package let principal: Principal
    /// The role; `nil` if the policy does not have it. Such a sender may only use routes without a
    /// need.
    let role: Role?
    /// The members of the state that the role sees; `nil` if it sees all.
    let sight: StoreWire.Sight?
    /// The principal as records have it; `nil` for a client without a credential.
    let stamp: ActionPrincipal?
    /// The counters of denied requests.
    let denials: PolicyDenials

    /// The key of the principal's share, which is counted beside the share of the address. `nil`
    /// for a client without a credential.
    let rateKey: RateKey?

    /// Makes the identity of a principal.
    ///
    /// - Parameters:
    ///   - principal: the sender.
    ///   - policy: the rights of its role.
    ///   - members: the members of the root state.
    ///   - denials: counts the denied requests.
    init(
        _ principal: Principal,
        _ policy: Policy,
        members: [String],
        _ denials: PolicyDenials
    ) {
        self.denials = denials
        self.principal = principal
        let role = policy.role(principal.role)
        self.role = role
        let isAnonymous = principal.credential == .anonymous
        rateKey = isAnonymous ? nil : RateKey(principal: principal.name)
        stamp =
            isAnonymous ? nil : ActionPrincipal(name: principal.name, role: principal.role)
        sight =
            role?.seesEverything == true
            ? nil : Sight(among: members) { role?.sees(member: $0) == true }
    }

    /// The name that owns sessions and idempotency keys; `nil` for a client without a credential.
    var name: String? { stamp == nil ? nil : principal.name }

    /// True if it sees the whole state, and may dispatch every action that clients dispatch.
    var doesEverything: Bool { sight == nil && role?.dispatchesEverything == true }

    /// Writes the principal and its role into the entry of the access log.
    func note(in access: inout Access) {
        access.principal = name
        access.role = name == nil ? nil : principal.role
    }

    /// Returns the reason why the sender may not use a route; `nil` if it may.
    func denial(of need: RouteNeed) -> Denial? {
        if case .nothing = need { return nil }
        guard let role else {
            if need.isOfOne { return .hidden }
            return .mayNot("The policy does not have the role '\(principal.role)'.")
        }
        return role.denial(of: need)
    }

    /// True if the present policy still allows the content of a stream that was opened under an
    /// earlier policy.
    func allows(_ need: RouteNeed, as earlier: StreamRights) -> Bool {
        guard denial(of: need) == nil else { return false }
        if earlier.operates, role?.operates != true { return false }
        switch need {
        case .state, .log: return covers(earlier)
        case .member, .view, .views, .group, .nothing, .dispatch, .useCase, .notification:
            return true
        }
    }

    /// True if the role sees all parts of the state that the stream shows. A hidden member stays
    /// allowed if it was hidden before: the stream shows it as absent.
    private func covers(_ earlier: StreamRights) -> Bool {
        guard let sight else { return true }
        guard let member = earlier.member else { return sight.covers(earlier.sight) }
        return sight.sees(module: member) || earlier.sight?.sees(module: member) == false
    }
}

extension Identity: MemoryHolder {
    package var memoryHolder: String? { name }
}

/// The rights that a stream was opened with.
struct StreamRights: Sendable {
    /// The members of the state that it shows; `nil` if it shows all.
    let sight: StoreWire.Sight?
    /// True if it shows the slices of all sessions because the role operates.
    let operates: Bool
    /// The member of the root state that it shows a part of; `nil` if it shows more than one.
    let member: String?
}

// Checks

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
