package import StoreAuthentication
import StoreAuthorization
import StoreCore
import StoreEventStream
import StoreHTTPTransport
import StoreTelemetry

/// Who asks, and what that allows: a principal, with its role as the policy has it.
///
/// Made once for a principal and a policy, so that a request copies a reference.
package final class Identity: Sendable {
    package let principal: Principal
    /// `nil` for a role that the policy does not have, which may do nothing.
    let role: Role?
    /// What the role sees of the state; `nil` for all of it.
    let sight: StoreEventStream.Sight?
    /// The principal as records have it; `nil` for a client that shows no credential.
    let stamp: ActionPrincipal?
    /// Counts what is denied to it.
    let denials: PolicyDenials

    /// Whose share of what may be asked for is counted beside that of the address; `nil` for those
    /// who show nothing.
    let rateKey: RateKey?

    /// - Parameters:
    ///   - principal: who it is.
    ///   - policy: what its role may do.
    ///   - members: the members of the root state.
    ///   - denials: counts what is denied.
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

    /// The owner of sessions and of idempotency keys; `nil` for those who show nothing.
    var name: String? { stamp == nil ? nil : principal.name }

    /// Whether it sees all of the state, and may dispatch all that clients dispatch.
    var doesEverything: Bool { sight == nil && role?.dispatchesEverything == true }

    /// Notes the principal and its role for the access log.
    func note(in access: inout Access) {
        access.principal = name
        access.role = name == nil ? nil : principal.role
    }

    /// Why it may not use a route; `nil` where it may.
    func denial(of need: RouteNeed) -> Denial? {
        if case .nothing = need { return nil }
        guard let role else {
            if need.isOfOne { return .hidden }
            return .mayNot("The policy does not have the role '\(principal.role)'.")
        }
        return role.denial(of: need)
    }

    /// Whether what a stream shows, which was opened under an earlier policy, is allowed to it.
    func allows(_ need: RouteNeed, as earlier: StreamRights) -> Bool {
        guard denial(of: need) == nil else { return false }
        if earlier.operates, role?.operates != true { return false }
        switch need {
        case .state, .log: return covers(earlier)
        case .member, .view, .views, .group, .nothing, .dispatch, .useCase, .notification:
            return true
        }
    }

    /// Whether it sees what a stream shows of the state. A member that was hidden then is still
    /// shown as one that is not there.
    private func covers(_ earlier: StreamRights) -> Bool {
        guard let sight else { return true }
        guard let member = earlier.member else { return sight.covers(earlier.sight) }
        return sight.sees(module: member) || earlier.sight?.sees(module: member) == false
    }
}

extension Identity: MemoryHolder {
    package var memoryHolder: String? { name }
}

/// What a stream was opened with.
struct StreamRights: Sendable {
    /// What it shows of the state; `nil` for all of it.
    let sight: StoreEventStream.Sight?
    /// Whether it shows what all sessions have because the role operates.
    let operates: Bool
    /// The member of the root state that it shows a part of; `nil` if it shows more than one.
    let member: String?
}
