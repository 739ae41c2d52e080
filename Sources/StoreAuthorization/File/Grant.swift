import StoreTexts

/// An element of a role's lists: its scope, and its place in the file.
struct Grant<Scope: Sendable>: Sendable {
    let pointer: String
    /// The source text of the element, for messages.
    let text: String
    let scope: Scope
}

/// A role of a policy, with its grants.
struct RoleGrants: Sendable {
    let name: String
    var read: [Grant<ReadScope>] = []
    var dispatch: [Grant<DispatchScope>] = []
    var call: [Grant<CallScope>] = []
    var use: [Grant<UseScope>] = []
}

/// The scope of a grant in `read`.
enum ReadScope: Sendable, Equatable {
    case everything
    /// All members of the root state.
    case members
    case member(String)
    case views
    case view(String)
    case log

    func has(member name: String) -> Bool {
        switch self {
        case .everything, .members: true
        case .member(let own): own.isSame(as: name)
        case .views, .view, .log: false
        }
    }

    func has(view name: String) -> Bool {
        switch self {
        case .everything, .views: true
        case .view(let own): own.isSame(as: name)
        case .members, .member, .log: false
        }
    }

    var hasLog: Bool { self == .everything || self == .log }
}

/// The scope of a grant in `dispatch`.
struct DispatchScope: Sendable {
    let types: ActionScope
    /// The conditions for the payload. All must hold; none for every payload.
    var conditions: [PayloadCondition] = []
}

/// The actions of a grant.
enum ActionScope: Sendable {
    case everything
    case module(String)
    case action(String)

    func covers(_ action: PolicyAction) -> Bool {
        guard action.isForClients else { return false }
        return switch self {
        case .everything: true
        case .module(let name): action.module.map(name.isSame) == true
        case .action(let name): action.name.isSame(as: name)
        }
    }
}

/// The scope of a grant in `call`.
enum CallScope: Sendable {
    case everything
    case useCases
    case useCase(String)
    case notifications
    case notification(String)

    func has(useCase path: String) -> Bool {
        switch self {
        case .everything, .useCases: true
        case .useCase(let own): own.isSame(as: path)
        case .notifications, .notification: false
        }
    }

    func has(notification name: String) -> Bool {
        switch self {
        case .everything, .notifications: true
        case .notification(let own): own.isSame(as: name)
        case .useCases, .useCase: false
        }
    }
}

/// The scope of a grant in `use`.
enum UseScope: Sendable {
    case everything
    case group(RouteGroupName)

    var bits: UInt16 {
        switch self {
        case .everything: .max
        case .group(let group): group.bit
        }
    }
}
