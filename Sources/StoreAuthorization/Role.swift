package import StoreJSON
import StoreTexts
import StoreWire

/// The permissions of one role in one store, as tables. Each check is a look-up in a table.
package final class Role: Sendable {
    package let name: String
    /// The members of the root state that the role sees, in the order of declaration. `nil` if the
    /// role sees the whole state, which may have no members.
    package let visibleMembers: [String]?
    package let readsLog: Bool
    /// True if the role sees the data of all sessions.
    package let seesAllSessions: Bool
    /// True if the role sees at least one view.
    package let seesViews: Bool
    /// True if the role may dispatch at least one action.
    package let mayDispatch: Bool

    /// True if the role may dispatch every action that clients may dispatch, with any payload.
    package let mayDispatchEverything: Bool

    private let grantedMembers: Set<ExactText>
    // The names of the things that the role may use; `nil` for all things of their kind.
    private let allowedViews: Set<ExactText>?
    private let allowedUseCases: Set<ExactText>?
    private let allowedNotifications: Set<ExactText>?
    private let routeGroupBits: UInt16
    /// The permission for each action of ``PolicyVocabulary/actions``.
    private let permissionsByAction: [Permission]
    /// True for each action of ``PolicyVocabulary/actions`` whose module the role sees.
    private let seesModuleByAction: [Bool]
    /// The permission for an action that has no element in `permissionsByAction`.
    private let permissionOfUnlistedActions: Permission

    /// Makes a role from its grants in a policy, for one store.
    init(_ grants: RoleGrants, in world: PolicyVocabulary) {
        func granted(_ kind: GrantedKind) -> Set<ExactText> {
            let names = world.names(of: kind).filter { grants.grant(of: kind, $0) != nil }
            return Set(names.map { ExactText($0) })
        }
        name = grants.name
        let members = granted(.member)
        let visible = world.members.filter { members.contains(ExactText($0)) }
        let seesAll = !visible.isEmpty && visible.count == world.members.count
        visibleMembers = seesAll || grants.grant(ofAll: .member) != nil ? nil : visible
        self.grantedMembers = members
        seesModuleByAction = world.actions.map { action in
            action.module.map { members.contains(ExactText($0)) } ?? false
        }
        readsLog = !granted(.log).isEmpty
        let views = granted(.view)
        self.allowedViews = views
        seesViews = !views.isEmpty || grants.grant(ofAll: .view) != nil
        allowedUseCases = granted(.useCase)
        allowedNotifications = granted(.notification)
        routeGroupBits = granted(.group).reduce(0) {
            $0 | (RouteGroupName(rawValue: $1.text)?.bit ?? 0)
        }
        seesAllSessions = routeGroupBits & RouteGroupName.operate.bit != 0
        permissionsByAction = world.actions.map { action in
            let covering = grants.dispatchGrants.map(\.scope).filter { $0.actions.covers(action) }
            if covering.contains(where: \.conditions.isEmpty) { return .always }
            return covering.isEmpty ? .never : .conditional(covering.map(\.conditions))
        }
        permissionOfUnlistedActions = .never
        mayDispatchEverything = grants.dispatchGrants.map(\.scope).contains { scope in
            if case .everything = scope.actions { scope.conditions.isEmpty } else { false }
        }
        mayDispatch = permissionsByAction.contains { if case .never = $0 { false } else { true } }
    }

    /// Makes a role that may read, dispatch and call everything, and may use these groups of
    /// routes.
    init(ofAll name: String, using groups: Set<RouteGroupName>) {
        self.name = name
        visibleMembers = nil
        grantedMembers = []
        readsLog = true
        allowedViews = nil
        seesViews = true
        allowedUseCases = nil
        allowedNotifications = nil
        self.routeGroupBits = groups.reduce(0) { $0 | $1.bit }
        seesAllSessions = groups.contains(.operate)
        permissionsByAction = []
        seesModuleByAction = []
        permissionOfUnlistedActions = .always
        mayDispatch = true
        mayDispatchEverything = true
    }
}

extension Role {
    /// True if the role sees the whole state.
    package var seesEverything: Bool { visibleMembers == nil }

    /// True if the role sees at least one member of the state.
    package var seesState: Bool { visibleMembers?.isEmpty != true }

    /// Returns true if the role sees this member of the root state: a module's slice, or a field.
    package func sees(member: String) -> Bool {
        visibleMembers == nil || grantedMembers.contains(ExactText(member))
    }

    /// Returns true if the role sees the module of the action at this index of
    /// ``PolicyVocabulary/actions``. For an action without a module, returns true only if the role
    /// sees the whole state.
    package func sees(moduleOfActionAt place: Int) -> Bool {
        visibleMembers == nil
            || (seesModuleByAction.indices.contains(place) && seesModuleByAction[place])
    }

    /// Returns true if the role sees this view.
    package func sees(view: String) -> Bool { allowedViews?.contains(ExactText(view)) ?? true }

    /// Returns true if the role may use the routes of this group.
    package func mayUse(_ group: RouteGroupName) -> Bool { routeGroupBits & group.bit != 0 }

    /// Returns true if the role may call this use case, with a name of
    /// ``PolicyVocabulary/useCases``.
    package func mayCall(useCase path: String) -> Bool {
        allowedUseCases?.contains(ExactText(path)) ?? true
    }

    /// Returns true if the role may send the notification of this name.
    package func mayNotify(_ name: String) -> Bool {
        allowedNotifications?.contains(ExactText(name)) ?? true
    }

    /// Returns the permission to dispatch the action at this index of ``PolicyVocabulary/actions``.
    package func permission(ofActionAt place: Int) -> Permission {
        permissionsByAction.indices.contains(place)
            ? permissionsByAction[place] : permissionOfUnlistedActions
    }

    /// Returns the reason why a principal of this role may not dispatch an action; `nil` if the
    /// principal may dispatch the action.
    ///
    /// `place` is the index of the action in ``PolicyVocabulary/actions``, and `type` is the
    /// action's wire name. `payload` is the payload from the client. `nil` means that there is no
    /// payload, so no condition is met.
    package func denial(
        ofActionAt place: Int,
        _ type: @autoclosure () -> String,
        _ payload: JSONNode?,
        principal: String
    ) -> Denial? {
        switch permission(ofActionAt: place) {
        case .always:
            return nil
        case .never:
            return .forbidden("The role '\(name)' may not dispatch '\(Problem.excerpt(type()))'.")
        case .conditional(let grants):
            let isAllowed = grants.contains { conditions in
                conditions.allSatisfy { $0.holds(for: payload, of: principal) }
            }
            return isAllowed ? nil : conditionalDenial(of: type(), with: grants)
        }
    }

    /// The maximum number of grants in the text of a denial.
    private static let denialGrantsMax = 3

    private func conditionalDenial(of type: String, with grants: [[PayloadCondition]]) -> Denial {
        let texts = grants.prefix(Self.denialGrantsMax).map { conditions in
            conditions.map(\.text).joined(separator: " and ")
        }
        return .forbidden(
            "The role '\(name)' may dispatch '\(Problem.excerpt(type))' only if "
                + texts.joined(separator: ", or ")
                + (grants.count > Self.denialGrantsMax ? ", or another grant allows it." : ".")
        )
    }
}

/// The permission of a role to dispatch an action.
package enum Permission: Sendable {
    case always
    case never
    /// The permission holds if the payload meets all conditions of one of these grants.
    case conditional([[PayloadCondition]])
}

/// The required value of a member of a payload.
package struct PayloadCondition: Sendable, Equatable {
    enum RequiredValue: Sendable, Equatable {
        /// The name of the principal that dispatches the action.
        case principal
        case value(JSONTree)
    }

    let pointer: JSONPointer
    let requiredValue: RequiredValue

    /// Returns true if the payload has the member with the required value. Texts are compared by
    /// their bytes, numbers by value, and no type is converted.
    func holds(for payload: JSONNode?, of principal: String) -> Bool {
        guard let node = payload.flatMap(pointer.find(from:)) else { return false }
        switch requiredValue {
        case .principal: return node.stringValue?.utf8.elementsEqual(principal.utf8) == true
        case .value(let value): return JSONTree(node) == value
        }
    }

    /// The condition as a text for a client.
    var text: String {
        switch requiredValue {
        case .principal: "'\(Problem.excerpt(pointer.description))' is the principal's name"
        case .value:
            "'\(Problem.excerpt(pointer.description))' has the value that the policy requires"
        }
    }
}

/// The reason why a role may not do something.
package enum Denial: Error, Sendable, Equatable {
    /// The request is forbidden, with a sentence for the client: 403.
    case forbidden(String)
    /// The role may not see the resource, so the server answers 404, as for a missing resource.
    case hidden
}
