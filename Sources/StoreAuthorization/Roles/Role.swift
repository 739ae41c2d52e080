import StoreTexts
package import StoreWire

/// What principals of one role may do, in tables that are made once: a question is one look-up.
package final class Role: Sendable {
    package let name: String
    /// The members of the root state that it sees, in their order; `nil` for all of the state, also
    /// where that is one piece.
    package let visibleMembers: [String]?
    package let readsLog: Bool
    /// Whether it sees what all sessions have.
    package let operates: Bool
    /// Whether it sees any view at all.
    package let seesViews: Bool
    /// Whether it may dispatch any action at all.
    package let dispatches: Bool

    /// Whether it may dispatch every action that clients dispatch, whatever its payload is.
    package let dispatchesEverything: Bool

    private let members: Set<ExactText>
    private let views: NameFilter
    private let useCases: NameFilter
    private let notifications: NameFilter
    private let groups: UInt16
    /// By the places of the store's table of actions.
    private let permissions: [Permission]
    /// Whether it sees their modules, by the same places.
    private let seesModules: [Bool]
    /// What holds for an action that the table does not have.
    private let otherwise: Permission

    /// The role of a policy, for one store.
    init(_ grants: RoleGrants, in world: PolicyWorld) {
        name = grants.name
        let read = grants.read.map(\.scope)
        let seesState = read.contains { $0 == .everything || $0 == .members }
        let visible = world.members.filter { member in read.contains { $0.has(member: member) } }
        let seesAll = !visible.isEmpty && visible.count == world.members.count
        visibleMembers = seesState || seesAll ? nil : visible
        let members = Set(visible.map { ExactText($0) })
        self.members = members
        seesModules = world.actions.map { action in
            action.module.map { members.contains(ExactText($0)) } ?? false
        }
        readsLog = read.contains(where: \.hasLog)
        views = NameFilter(world.views.filter { view in read.contains { $0.has(view: view) } })
        seesViews = !views.isEmpty || read.contains { $0 == .everything || $0 == .views }
        let call = grants.call.map(\.scope)
        useCases = NameFilter(
            world.useCases.filter { path in call.contains { $0.has(useCase: path) } }
        )
        notifications = NameFilter(
            world.notifications.filter { name in call.contains { $0.has(notification: name) } }
        )
        groups = grants.use.reduce(0) { $0 | $1.scope.bits }
        operates = groups & RouteGroupName.operate.bit != 0
        permissions = world.actions.map { action in
            let covering = grants.dispatch.map(\.scope).filter { $0.types.covers(action) }
            if covering.contains(where: \.conditions.isEmpty) { return .always }
            return covering.isEmpty ? .never : .conditional(covering.map(\.conditions))
        }
        otherwise = .never
        dispatchesEverything = grants.dispatch.map(\.scope).contains { scope in
            if case .everything = scope.types { scope.conditions.isEmpty } else { false }
        }
        dispatches = permissions.contains { if case .never = $0 { false } else { true } }
    }

    /// A role that may read, dispatch and call everything, and use these groups.
    init(ofAll name: String, using groups: Set<RouteGroupName>) {
        self.name = name
        visibleMembers = nil
        members = []
        readsLog = true
        views = .everything
        seesViews = true
        useCases = .everything
        notifications = .everything
        self.groups = groups.reduce(0) { $0 | $1.bit }
        operates = groups.contains(.operate)
        permissions = []
        seesModules = []
        otherwise = .always
        dispatches = true
        dispatchesEverything = true
    }
}

extension Role {
    /// Whether it sees all of the state.
    package var seesEverything: Bool { visibleMembers == nil }

    /// Whether it sees any member of the state.
    package var seesState: Bool { visibleMembers?.isEmpty != true }

    /// Whether it sees this member of the root state: a module's slice, or a field.
    package func sees(member: String) -> Bool {
        visibleMembers == nil || members.contains(ExactText(member))
    }

    /// Whether it sees the module of the action at this place of ``PolicyWorld/actions``; not where
    /// the action has none, unless the role sees everything. Cost: one element of an array.
    package func sees(moduleOfAction place: Int) -> Bool {
        visibleMembers == nil || (seesModules.indices.contains(place) && seesModules[place])
    }

    /// Whether it sees this view.
    package func sees(view: String) -> Bool { views.contains(view) }

    /// Whether it may use the routes of this group.
    package func mayUse(_ group: RouteGroupName) -> Bool { groups & group.bit != 0 }

    /// Whether it may call this use case, named as in ``PolicyWorld/useCases``.
    package func mayCall(useCase path: String) -> Bool { useCases.contains(path) }

    /// Whether it may notify of this.
    package func mayNotify(_ name: String) -> Bool { notifications.contains(name) }

    /// Whether it may dispatch the action at this place of ``PolicyWorld/actions``. Cost: one
    /// element of an array.
    package func permission(ofAction place: Int) -> Permission {
        permissions.indices.contains(place) ? permissions[place] : otherwise
    }

    /// Why a principal of this role may not dispatch an action; `nil` where it may. Nothing is
    /// allocated where the permission has no conditions.
    ///
    /// `place` is where the action stands in ``PolicyWorld/actions``, `type` its wire name, and
    /// `payload` what the client has sent: `nil` for no payload, which meets no condition.
    package func denial(
        ofAction place: Int,
        _ type: @autoclosure () -> String,
        _ payload: JSONNode?,
        principal: String
    ) -> Denial? {
        switch permission(ofAction: place) {
        case .always:
            return nil
        case .never:
            return .mayNot(
                "The role '\(name)' may not dispatch '\(Problem.excerpt(type()))'."
            )
        case .conditional(let grants):
            let isAllowed = grants.contains { conditions in
                conditions.allSatisfy { $0.holds(for: payload, of: principal) }
            }
            return isAllowed ? nil : denial(of: type(), with: grants)
        }
    }

    /// How many grants a denial names.
    private static let namedMax = 3

    private func denial(of type: String, with grants: [[PayloadCondition]]) -> Denial {
        let texts = grants.prefix(Self.namedMax).map { conditions in
            conditions.map(\.text).joined(separator: " and ")
        }
        return .mayNot(
            "The role '\(name)' may dispatch '\(Problem.excerpt(type))' only where "
                + texts.joined(separator: ", or ")
                + (grants.count > Self.namedMax ? ", or another grant allows it." : ".")
        )
    }
}

/// Names that a role may use: some, or all.
private enum NameFilter: Sendable {
    case everything
    case some(Set<ExactText>)

    init(_ names: [String]) { self = .some(Set(names.map { ExactText($0) })) }

    var isEmpty: Bool { if case .some(let names) = self { names.isEmpty } else { false } }

    func contains(_ name: String) -> Bool {
        switch self {
        case .everything: true
        case .some(let names): names.contains(ExactText(name))
        }
    }
}
