package import StoreWire

/// The names of a store. A policy is checked against them.
///
/// A policy denies each request without a grant, so a misspelt name would deny without a message.
package struct PolicyWorld: Sendable {
    /// The members of the root state, modules and fields, in their order. Empty if the state has no
    /// members.
    package let members: [String]
    package let views: [String]
    /// The actions in the order of the store's table of actions. ``Role/permission(ofAction:)``
    /// takes an index of this array.
    package let actions: [PolicyAction]
    /// The use cases, such as `login/login`. The use case of a module with instances has `{id}`
    /// after the first slash, as in its route.
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

/// An action of a store, for a policy.
package struct PolicyAction: Sendable {
    /// The wire name. For an action of instances it has `{id}`: `cards/{id}/liked`.
    package let name: String
    /// The module of the action.
    package let module: String?
    /// True if clients or views of the module may dispatch the action; else only the program does.
    package let isForClients: Bool
    /// The names of the payload's members; `nil` if any member is allowed.
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
