package import StoreActionCatalog
package import StoreAuthentication
package import StoreAuthorization
package import StoreCore
package import StoreHTTPTransport
package import StoreJSON
import StoreJSONSchema
import StorePlatform
package import StoreWire
import Synchronization

/// The sender of a request and its rights: a principal, with its role in the policy.
///
/// An identity is made once for a principal and a policy; a request copies only a reference.
package final class Identity: Sendable {
    package let principal: Principal
    /// The role; `nil` if the policy does not have the role. A sender without a role may only use
    /// routes that need no grant.
    package let role: Role?
    /// The members of the state that the role sees; `nil` if the role sees all members.
    package let sight: StoreWire.Sight?
    /// The principal as records have it; `nil` for a client without a credential.
    package let recordedPrincipal: ActionPrincipal?
    /// The counters of denied requests.
    let denialCounts: PolicyDenialCounts

    /// The key of the principal's share, which is counted in addition to the share of the address.
    /// `nil` for a client without a credential.
    let rateKey: RateKey?

    /// Makes the identity of a principal in a store whose root state has these members.
    init(_ principal: Principal, _ policy: Policy, members: [String], _ denials: PolicyDenialCounts)
    {
        self.denialCounts = denials
        self.principal = principal
        let role = policy.role(principal.role)
        self.role = role
        let isAnonymous = principal.credential == .anonymous
        rateKey = isAnonymous ? nil : RateKey(principal: principal.name)
        recordedPrincipal =
            isAnonymous ? nil : ActionPrincipal(name: principal.name, role: principal.role)
        sight =
            role?.seesEverything == true
            ? nil : Sight(among: members) { role?.sees(member: $0) == true }
    }

    /// The name that owns sessions and idempotency keys; `nil` for a client without a credential.
    package var name: String? { recordedPrincipal == nil ? nil : principal.name }

    /// True if the sender sees the whole state, and may dispatch every action that clients
    /// dispatch.
    package var hasAllRights: Bool { sight == nil && role?.mayDispatchEverything == true }

    /// Writes the principal and its role into the entry of the access log.
    package func writeSender(to access: inout AccessEntry) {
        access.principal = name
        access.role = name == nil ? nil : principal.role
    }

    /// Returns the reason why the sender may not use a route; `nil` if the sender may use the
    /// route.
    package func denial(of need: RouteNeed) -> Denial? {
        if case .nothing = need { return nil }
        guard let role else {
            if need.isHiddenIfDenied { return .hidden }
            return .forbidden("The policy does not have the role '\(principal.role)'.")
        }
        return role.denial(of: need)
    }

    /// True if the present policy still allows the content of a stream that was opened under an
    /// earlier policy.
    func allows(_ need: RouteNeed, forStreamWith earlier: StreamRights) -> Bool {
        guard denial(of: need) == nil else { return false }
        if earlier.showsAllSessions, role?.seesAllSessions != true { return false }
        switch need {
        case .state, .log: return covers(earlier)
        case .member, .view, .views, .group, .nothing, .dispatch, .useCase, .notification:
            return true
        }
    }

    /// True if the role sees all parts of the state that the stream shows. If a stream shows a part
    /// of one member, and the member was hidden when the stream was opened, the stream stays
    /// allowed. The stream shows the part as absent.
    private func covers(_ earlier: StreamRights) -> Bool {
        guard let sight else { return true }
        guard let member = earlier.member else { return sight.covers(earlier.sight) }
        return sight.sees(module: member) || earlier.sight?.sees(module: member) == false
    }
}

extension Identity: MemoryHolder {
    package var memoryShareName: String? { name }
}

/// The rights that a stream was opened with.
struct StreamRights: Sendable {
    /// The members of the state that the stream shows; `nil` if the stream shows all members.
    let sight: StoreWire.Sight?
    /// True if the stream shows the slices of all sessions because the role has the grant
    /// `operate`.
    let showsAllSessions: Bool
    /// The member of the root state that contains the shown part; `nil` if the stream shows several
    /// members.
    let member: String?
}

// Checks

extension Identity {
    /// Counts a denied request, and makes its answer.
    package func countDenial(_ need: RouteNeed, _ denial: Denial, path: String) -> Problem {
        denialCounts.countDenial(need.grantList)
        return problem(denial, path: path)
    }

    /// True if the role sees a member of the state.
    package func sees(_ module: String) -> Bool { role?.sees(member: module) == true }

    /// Makes the answer to a denied request.
    func problem(_ denial: Denial, path: String) -> Problem {
        switch denial {
        case .hidden: .notFound(path: path)
        case .forbidden(let detail) where recordedPrincipal == nil: .unauthorized(detail)
        case .forbidden(let detail): .forbidden(detail)
        }
    }
}

extension Identity: DispatchPermission {
    package func check(_ action: FoundAction, _ payload: JSONNode?) throws(Problem) {
        let denial = role?.denial(
            ofActionAt: action.entryIndex,
            action.entry.signature.name,
            payload,
            principal: principal.name
        )
        guard let denial = role == nil ? .hidden : denial else { return }
        denialCounts.countDenial(.dispatch)
        throw problem(denial, path: action.nameWithoutInstance)
    }

    package func mayDispatch(actionAt place: Int) -> Bool {
        if case .never = role?.permission(ofActionAt: place) ?? .never { false } else { true }
    }
}

extension RouteNeed {
    /// The kind of grant that a role needs, for the metrics of denied requests.
    fileprivate var grantList: PolicyDenialCounts.GrantList {
        switch self {
        case .nothing, .group: .use
        case .state, .member, .view, .views, .log: .read
        case .dispatch: .dispatch
        case .useCase, .notification: .call
        }
    }
}

extension HTTPExchange {
    /// The identity of the sender; `nil` on a server without access control.
    package var identity: Identity? {
        guard let sender, type(of: sender) == Identity.self else { return nil }
        return unsafeDowncast(sender, to: Identity.self)
    }
}

// Counters

/// The numbers of requests that a policy has denied, by the kind of grant.
package final class PolicyDenialCounts: Sendable {
    /// The kinds of grants of a policy.
    package enum GrantList: Int, Sendable, CaseIterable { case read, dispatch, call, use }

    private let cells = CounterArray(count: GrantList.allCases.count)

    package init() {}

    /// Counts a denied request. Any thread may call this function.
    package func countDenial(_ grant: GrantList) {
        cells.counters[grant.rawValue].add(1, ordering: .relaxed)
    }

    /// The number of denied requests of each kind.
    package var all: [(grant: String, count: UInt64)] {
        GrantList.allCases.map { ("\($0)", cells[$0.rawValue]) }
    }
}
