package import StoreWire

/// The names that a store has, against which a policy is checked.
///
/// A policy denies what it does not grant, so a misspelt name would deny in silence.
package struct PolicyWorld: Sendable {
    /// The members of the root state, modules and fields, in their order; none where the state is
    /// one piece.
    package let members: [String]
    package let views: [String]
    /// In the order of the store's table of actions: ``Role/permission(ofAction:)`` takes a place
    /// in it.
    package let actions: [PolicyAction]
    /// Use cases, such as `login/login`; one that is asked of instances has `{id}` behind the first
    /// slash, as its route has.
    package let useCases: [String]
    package let notifications: [String]

    package init(
        members: [String],
        views: [String],
        actions: [PolicyAction],
        useCases: [String],
        notifications: [String]
    ) {
        self.members = members
        self.views = views
        self.actions = actions
        self.useCases = useCases
        self.notifications = notifications
    }
}

/// An action of a store, as a policy names it.
package struct PolicyAction: Sendable {
    /// The wire name; of an action of instances that of all of them, `cards/{id}/liked`.
    package let name: String
    /// The module that it belongs to.
    package let module: String?
    /// Whether clients may dispatch it, or views of its module; otherwise the program alone does.
    package let isForClients: Bool
    /// The names of its payload's members; `nil` where it may have any.
    package let members: [String]?
    /// The members that are removed before the action is made.
    package let secrets: [String]
    /// Returns the first part of a pointer that leads to nothing in any payload; `nil` if it may
    /// lead to something.
    package let deadEnd: @Sendable (JSONPointer) -> JSONPointer?

    package init(
        _ name: String,
        module: String? = nil,
        isForClients: Bool = true,
        members: [String]? = nil,
        secrets: [String] = [],
        deadEnd: @escaping @Sendable (JSONPointer) -> JSONPointer? = { _ in nil }
    ) {
        self.deadEnd = deadEnd
        self.name = name
        self.module = module
        self.isForClients = isForClients
        self.members = members
        self.secrets = secrets
    }
}
